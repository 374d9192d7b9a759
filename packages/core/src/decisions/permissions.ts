import { ConfigurationError } from "../values/errors.ts";
import { identityOf, type Tool } from "../values/tool.ts";
import { checkList } from "./check-tools.ts";
import { type Named, selects, unknownName } from "./names.ts";
import { isChecked } from "./overrides.ts";

/** A tool as rules select it. */
export const named = (tool: Tool): Named => ({ name: tool.name, identity: identityOf(tool) });

/**
 * A tool that is named cannot be denied and asked about, and there is nothing to approve where a tool runs elsewhere.
 * Patterns may overlap: a deny comes first, and client tools are refused.
 */
export function checkApprovals(
  requireApproval: readonly string[],
  deny: readonly string[],
  tools: readonly Tool[],
): void {
  for (const pattern of requireApproval.filter((pattern) => !pattern.includes("*")))
    for (const tool of tools.filter((tool) => selects(pattern, named(tool)))) {
      if (deny.some((other) => !other.includes("*") && selects(other, named(tool))))
        throw new ConfigurationError(
          `requireApproval: "${pattern}" is in deny too; a denied call never gets to a person. Take it out of one.`,
        );
      if (tool.target === "client")
        throw new ConfigurationError(
          `requireApproval: "${pattern}" is a client tool; its calls run elsewhere, so there is nothing to approve here.`,
        );
    }
}

/** Grants are for one run: a pool inside another holds no more than the one around it, however each writes it. */
export function grantsWithin(
  around: readonly (readonly string[])[] | undefined,
  given: readonly string[] | undefined,
): readonly (readonly string[])[] {
  if (!around) return [given ?? []];
  return given ? [...around, given] : around;
}

/**
 * Identities of the tools that need a grant: of those here, and of those around. A tool needs one under whatever name it
 * comes, and by whoever it is brought.
 */
export const protectedWithin = (
  around: ReadonlySet<string> | undefined,
  tools: readonly Tool[],
): ReadonlySet<string> =>
  new Set([...(around ?? []), ...tools.filter((tool) => tool.protected).map(identityOf)]);

/** Patterns, and the identities of what they select here: a tool is the same under another name. */
export const identified = (patterns: readonly string[], tools: readonly Tool[]): readonly string[] => [
  ...new Set([
    ...patterns,
    ...tools.filter((tool) => patterns.some((pattern) => selects(pattern, named(tool)))).map(identityOf),
  ]),
];

/** Patterns that select tools. One without `*` must select something, unless it was checked elsewhere. */
export function readNames(
  place: string,
  patterns: readonly string[] | undefined,
  tools: readonly Tool[],
): readonly string[] {
  checkList(place, patterns);
  if (!patterns) return [];
  for (const pattern of patterns) {
    if (typeof pattern !== "string" || pattern === "")
      throw new ConfigurationError(
        `${place}: found ${JSON.stringify(pattern)}; accepted are names, prefixes and identities of tools.`,
      );
    if (pattern.includes("*") || isChecked(patterns) || tools.some((tool) => selects(pattern, named(tool))))
      continue;
    throw new ConfigurationError(
      `${place}: ${unknownName(
        "tool",
        pattern,
        tools.map((tool) => tool.name),
      )}`,
    );
  }
  return patterns;
}

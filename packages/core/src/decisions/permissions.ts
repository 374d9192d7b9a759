import { ConfigurationError } from "../values/errors.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { identityOf, type Tool } from "../values/tool.ts";
import { checkList } from "./check-tools.ts";
import { type Named, selects, unknownName } from "./names.ts";
import { isChecked } from "./overrides.ts";

/** What tools of a pool may do, whatever its hooks say. */
export interface Permissions {
  /** Names, prefixes and identities of tools that never run. */
  readonly deny: readonly string[];
  /** Of those whose every call a person has to approve. */
  readonly requireApproval: readonly string[];
  /** Of each pool from the outermost in: a tool has to be granted in all of them. */
  readonly grants: readonly (readonly string[])[];
  /** Identities of the tools that need a grant. */
  readonly protectedTools: ReadonlySet<string>;
}

/** The permissions of a pool with these tools: its own on top of those around it. Throws where they cannot be meant. */
export function permissionsOf(
  {
    deny: denied,
    requireApproval: approved,
    grants,
  }: Pick<AgentPoolOptions, "deny" | "requireApproval" | "grants">,
  tools: readonly Tool[],
  terminal: Tool | undefined,
  outer: Permissions | undefined,
): Permissions {
  const deny = identified([...(outer?.deny ?? []), ...readNames("deny", denied, tools)], tools);
  const asked = readNames("requireApproval", approved, tools);
  checkApprovals(asked, denied ?? [], tools);
  if (terminal && isSelected(terminal, deny))
    throw new ConfigurationError(
      `deny: "${terminal.name}" is the terminal tool; an agent could never report.`,
    );
  return {
    deny,
    requireApproval: identified([...(outer?.requireApproval ?? []), ...asked], tools),
    grants: grantsWithin(outer?.grants, grants && readNames("grants", grants, tools)),
    protectedTools: protectedWithin(outer?.protectedTools, tools),
  };
}

/** Whether one of these patterns selects a tool. */
export const isSelected = (tool: Tool, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => selects(pattern, named(tool)));

/** A tool as rules select it. */
const named = (tool: Tool): Named => ({ name: tool.name, identity: identityOf(tool) });

/**
 * A tool that is named cannot be denied and asked about, and there is nothing to approve where a tool runs elsewhere.
 * Patterns may overlap: a deny comes first, and client tools are refused.
 */
function checkApprovals(
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
function grantsWithin(
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
const protectedWithin = (
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

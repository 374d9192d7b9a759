import { type Named, type Rule, selects } from "@agentpool/core";

/** Whether it has to be asked, turn by turn, if a rule applies. Any other applies to every turn. */
export const isConditional = ({ when, kind, review, effort }: Rule): boolean =>
  when !== undefined ||
  kind === "observation" ||
  (review !== undefined && review !== false) ||
  effort !== undefined;

/** Whether a rule can apply to an agent with these tools. */
export const isAbout = ({ tools }: Rule, having: readonly Named[]): boolean =>
  tools === undefined || tools.some((pattern) => having.some((tool) => selects(pattern, tool)));

/** What an agent has to be told: the rules that are new to it, and those that it was told and that are over. */
export function toldOf(told: ReadonlySet<Rule>, applying: readonly Rule[]): string | undefined {
  const now = applying.filter((rule) => !told.has(rule));
  const over = [...told].filter((rule) => !applying.includes(rule));
  const parts = [
    ...(now.length > 0 ? [`From here on this applies:\n${now.map(line).join("\n")}`] : []),
    ...(over.length > 0
      ? [`This no longer applies: ${over.map(({ title }) => oneLine(title)).join("; ")}.`]
      : []),
  ];
  return parts.length > 0 ? parts.join("\n") : undefined;
}

const line = ({ title, content, kind }: Rule): string =>
  `- ${oneLine(title)}${kind === "observation" ? " (a situation)" : ""}: ${content.trim()}`;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

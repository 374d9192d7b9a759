import { type Named, type Prompt, type Rule, selects } from "@agentpool/core";

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
    ...(now.length > 0 ? [`${NOW}${now.map(line).join("")}`] : []),
    ...(over.length > 0 ? [`${OVER}${over.map(({ title }) => oneLine(title)).join("; ")}.`] : []),
  ];
  return parts.length > 0 ? parts.join("\n") : undefined;
}

/**
 * The rules that are in an agent's context, by what stands in it: what it was told itself, and what those were that it
 * was forked from.
 */
export function toldIn(conversation: Prompt, rules: readonly Rule[]): Set<Rule> {
  const told = new Set<Rule>();
  for (const { role, content } of conversation) {
    if (role !== "user") continue;
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (!text.startsWith(NOW) && !text.startsWith(OVER)) continue;
    const over = `; ${text.slice(text.lastIndexOf(OVER) + OVER.length).replace(/\.$/, "")}; `;
    for (const rule of rules) {
      if (text.includes(OVER) && over.includes(`; ${oneLine(rule.title)}; `)) told.delete(rule);
      if (`${text}\n`.includes(`${line(rule)}\n`)) told.add(rule);
    }
  }
  return told;
}

const NOW = "From here on this applies:";
const OVER = "This no longer applies: ";

const line = ({ title, content, kind }: Rule): string =>
  `\n- ${oneLine(title)}${kind === "observation" ? " (a situation)" : ""}: ${content.trim()}`;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

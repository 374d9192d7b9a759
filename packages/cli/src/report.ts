import type { Outcome } from "@agentpool/harness";
import { briefJson, renderBrief } from "@agentpool/research";
import { printable } from "./printable.ts";
import type { Report } from "./reports.ts";

/** A run's answer: as it is shown, and as it is kept. */
export interface ShownReport extends Report {
  /** Safe for a terminal, ending with a line end. */
  readonly shown: string;
}

export function reportOf(
  outcome: Outcome,
  { run, question }: { run: string; question: string },
): ShownReport {
  if (outcome.type === "brief") {
    const markdown = renderBrief(outcome.brief);
    return { run, markdown, json: briefJson(outcome.brief), shown: printable(markdown) };
  }
  const { value } = outcome;
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
  const markdown = typeof value === "string" ? `${text}\n` : `\`\`\`json\n${text}\n\`\`\`\n`;
  return {
    run,
    markdown: `# ${question.replace(/\s+/g, " ")}\n\n${markdown}`,
    json: `${JSON.stringify({ question, value: value ?? null }, null, 2)}\n`,
    shown: `${printable(text)}\n`,
  };
}

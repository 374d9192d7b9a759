import type { Demand } from "./demand.ts";

/** Says a demand in words, for a provider that has no setting for it. */
export function demandInWords(demand: Demand): string {
  switch (demand.type) {
    case "tool":
      return `Now call the tool ${demand.tool}, once. Call no other tool, and write nothing else.`;
    case "anyTool":
      return `Now call one of these tools: ${demand.tools.join(", ")}. Write nothing else.`;
    case "noTool":
      return demand.output === undefined
        ? "Now answer in text. Call no tool."
        : `Call no tool. ${outputInWords(demand.output)}`;
    case "output":
      return outputInWords(demand.output);
  }
}

const outputInWords = (schema: object): string =>
  `Answer with JSON that fits this schema, and with nothing else:\n${JSON.stringify(schema)}`;

/** Says what was wrong with a turn, and asks for another. */
export const correction = (problem: string, demand: Demand): string =>
  `That cannot be used. ${problem}\n\n${demandInWords(demand)}`;

/** Answers calls that a turn made and that are not run, so that every provider takes the conversation back. */
export const notRun = "This call was not run.";

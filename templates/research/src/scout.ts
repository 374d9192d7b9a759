import { parallel, reportTool, type Totals } from "@agentpool/core";
import type { Operation } from "effection";
import type { Job } from "./job.ts";
import { prompt } from "./prompts.ts";

/** Looks at the sources, for the plan: outlines and snippets. Reading is for the inquiries. */
export function* scout({
  question,
  pool,
  numbers,
  ledger,
}: Job): Operation<{ seen: string; totals: Totals }> {
  const task = {
    task: `Question: ${question}`,
    tools: ["list", "search"],
    budget: { maxTurns: numbers.scout },
  };
  const { agents, totals } = yield* pool({
    key: "scout",
    system: prompt("scout"),
    terminal: reportTool,
    orchestrate: parallel([task]),
  });
  const named = ledger.sources().map(({ source, title }) => `- ${source}: ${title}`);
  return { seen: [agents[0]?.result, "Its searches named:", ...named].join("\n"), totals };
}

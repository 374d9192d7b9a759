import { count } from "../format/count.ts";
import type { Measured } from "../measure/measure.ts";
import { figureOf } from "../measure/series.ts";
import type { Finding } from "./finding.ts";
import type { Row } from "./row.ts";

const places = {
  operation: "in a tool that is an operation",
  async: "in a tool that is an async function",
  model: "in a generation",
} as const;

const [bare, aiSdk] = ["in bare Effection loops", "in tools of AI SDK generateText"];

export const liveAgents: Row = {
  number: 5,
  title: "live agents in one process, and their end",
  conditions: ({ live }) => `${count(live)} agents that all wait at once, then all are halted`,
  entries: ({ live: agents }) => [
    ...Object.entries(places).map(([waitIn, name]) => ({
      name,
      contender: "agentpool-live",
      settings: { agents, waitIn },
    })),
    { name: bare, contender: "bare-live", settings: { agents } },
    { name: aiSdk, contender: "ai-sdk-live", settings: { agents } },
  ],
  findings: (measured) => [
    ...Object.values(places).flatMap((place) =>
      amounts(measured, place, { kilobytes: 40, haltMs: 1_000, left: 0 }),
    ),
    ...[bare, aiSdk].flatMap((peer) => amounts(measured, peer, {})),
  ],
};

interface Limits {
  readonly kilobytes?: number;
  readonly haltMs?: number;
  readonly left?: number;
}

function amounts(measured: ReadonlyMap<string, Measured>, name: string, limits: Limits): Finding[] {
  const found = measured.get(name);
  if (found?.type !== "sampled")
    return [{ type: "failed", what: name, reason: found?.reason ?? "not measured" }];
  const amount = (figure: keyof Limits, what: string, unit: string): Finding => ({
    type: "amount",
    what,
    amount: figureOf(found.samples, figure),
    unit,
    target: limits[figure],
  });
  return [
    amount("kilobytes", `each, waiting ${name}`, "KB"),
    amount("haltMs", "until all of those had ended", "ms"),
    amount("left", "that were not there before", "timers and handles"),
  ];
}

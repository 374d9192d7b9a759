import type { Measured } from "../measure/measure.ts";
import { figureOf, seriesOf } from "../measure/series.ts";
import type { Finding } from "./finding.ts";
import type { Row } from "./row.ts";

/** Turns of a researching agent at medium effort: a language model uses them, the embedded engine needs fewer. */
const allowed = 10;
const [long, brief] = [`agents that use their ${allowed} turns`, "agents as brief as the embedded engine"];

export const freshTokens: Row = {
  number: 8,
  title: "tokens a hosted provider reads afresh on the research job",
  conditions: () =>
    "Anthropic's real client, a provider with its caching rules; forked beside prompts that are put together anew every turn",
  entries: () => [
    { name: long, contender: "../cache/fresh-tokens-contender", settings: { turns: allowed } },
    { name: brief, contender: "../cache/fresh-tokens-contender", settings: { turns: 0 } },
  ],
  findings: (measured) => [
    ...findings(measured.get(long), long, 0.25),
    // Most of what they send they send once: the texts they read. There is little to read again.
    ...findings(measured.get(brief), brief, undefined),
  ],
};

function findings(found: Measured | undefined, who: string, target: number | undefined): Finding[] {
  if (found?.type !== "sampled")
    return [{ type: "failed", what: who, reason: found?.reason ?? "not measured" }];
  const { samples } = found;
  const share = (name: string) =>
    seriesOf(
      samples.map(({ figures }) => (figures?.[name] ?? Number.NaN) / (figures?.rebuilt ?? Number.NaN)),
    );
  return [
    { type: "amount", what: who, amount: share("forked"), unit: "× rebuilt", target },
    {
      type: "amount",
      what: "if every text were read once and no more",
      amount: share("once"),
      unit: "× rebuilt",
      target: undefined,
    },
    {
      type: "amount",
      what: `sent by ${who}`,
      amount: figureOf(samples, "total"),
      unit: "tokens",
      target: undefined,
    },
  ];
}

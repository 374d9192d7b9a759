import { crowds } from "../llama/settings.ts";
import type { Measured } from "../measure/measure.ts";
import { cpuOf, figureOf, seriesOf, wallOf } from "../measure/series.ts";
import type { Finding } from "./finding.ts";
import type { Row } from "./row.ts";

const ours = "agents on a model in this process";
const library = "node-llama-cpp by its public interface";

type Samples = Extract<Measured, { type: "sampled" }>["samples"];

/** A figure in milliseconds, as a series in microseconds of each round. */
const micros = (samples: Samples, name: string, times = 1) =>
  seriesOf(samples.map(({ figures }) => (figures?.[name] ?? Number.NaN) * 1_000 * times));

function ratio(
  samples: Samples,
  {
    of,
    beside,
    times = 1,
    ...more
  }: {
    readonly of: string;
    readonly beside: string;
    readonly times?: number;
    readonly what: string;
    readonly unit: string;
    readonly target?: number;
  },
): Finding {
  const [one, other] = [micros(samples, of), micros(samples, beside, times)];
  const [cpu, otherCpu] = [micros(samples, `${of}Cpu`), micros(samples, `${beside}Cpu`, times)];
  return {
    type: "ratio",
    beside: more.what,
    ratio: one.median / other.median,
    cpuRatio: cpu.median / otherCpu.median,
    target: more.target,
    unit: more.unit,
    ours: one,
    theirs: other,
  };
}

export const llamaAgents: Row = {
  number: 7,
  title: "forks of a long prefix, on a model in this process",
  conditions: ({ llama: { threads, agents, prefix, tokens } }) =>
    `${threads === 1 ? "1 thread" : `${threads} threads`}, ${agents} agents, ${prefix.toLocaleString("en")} tokens in common, ${tokens} tokens each; random weights in the shape of a model of 135 million parameters, 8 bits`,
  entries: ({ llama }) => [
    { name: ours, contender: "../llama/llama-agents", settings: llama },
    { name: library, contender: "../llama/library-agents", settings: llama },
  ],
  findings(measured) {
    const [found, peer] = [measured.get(ours), measured.get(library)];
    if (found?.type !== "sampled")
      return [{ type: "failed", what: ours, reason: found?.reason ?? "not measured" }];
    const { samples } = found;
    const perToken = crowds.map(
      (crowd): Finding => ({
        type: "amount",
        what: `${crowd} at once, after the prefix`,
        amount: seriesOf(samples.map(({ figures }) => 1_000 / (figures?.[`token${crowd}`] ?? Number.NaN))),
        unit: "tokens/s",
        target: undefined,
      }),
    );
    return [
      ratio(samples, {
        of: "fork",
        beside: "compute",
        times: 8,
        what: "computing the prefix 8 times (once, counted 8 times)",
        unit: "cohort",
        target: 0.01,
      }),
      ratio(samples, {
        of: "brief8",
        beside: "brief1",
        what: "a token of 1 agent, of 8 at once, nothing in common",
        unit: "token",
        target: 0.4,
      }),
      // Each sequence's attention reads its own state, the common part too: the longer it is, the less is gained.
      ratio(samples, {
        of: "token8",
        beside: "token1",
        what: "the same after the prefix",
        unit: "token",
        target: 0.4,
      }),
      ...perToken,
      besideLibrary(samples, peer),
      {
        type: "amount",
        what: "for each sequence, model and all",
        amount: figureOf(samples, "megabytes"),
        unit: "MB",
        target: undefined,
      },
    ];
  },
};

function besideLibrary(samples: Samples, peer: Measured | undefined): Finding {
  if (peer?.type !== "sampled")
    return { type: "failed", what: library, reason: peer?.reason ?? "not measured" };
  const [one, other] = [micros(samples, "token8"), wallOf(peer.samples)];
  return {
    type: "ratio",
    beside: `${library}, 8 at once`,
    ratio: one.median / other.median,
    cpuRatio: micros(samples, "token8Cpu").median / cpuOf(peer.samples).median,
    target: undefined,
    unit: "token",
    ours: one,
    theirs: other,
  };
}

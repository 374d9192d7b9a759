import type { Model, Session } from "@agentpool/core";
import { useLlama } from "@agentpool/llama";
import { readTurn } from "@agentpool/models";
import { all, type Operation, scoped, until } from "effection";
import type { Contender, Open, Sample } from "../contenders/contender.ts";
import { stopwatch } from "../contenders/stopwatch.ts";
import { Barrier } from "./barrier.ts";
import { useModelFile } from "./model-file.ts";
import { crowds, type LlamaAgentsSettings } from "./settings.ts";

/** Forks of one long prefix, in a model in this process: made, and writing. */
const open: Open<LlamaAgentsSettings> = function* (settings) {
  const { threads, agents, prefix, tokens } = settings;
  const path = yield* useModelFile();
  const before = process.memoryUsage().rss;
  const contextWindow = Math.ceil((prefix + tokens + 256) / 256) * 256;
  // One holds the prefix, one a short one, one reads others.
  const sequences = agents + 3;
  const model = yield* useLlama(path, {
    contextWindow,
    sequences,
    threads,
    gpu: false,
    maxTokens: tokens,
    temperature: 0.7,
  });
  const spine = yield* model.open({ system: yield* textOf(model, prefix), tools: [] });
  const base = yield* spine.fork();
  const brief = yield* (yield* model.open({ system: "You go on.", tools: [] })).fork();
  let round = 0;
  return {
    *round(): Operation<Sample> {
      const figures: Record<string, number> = {};
      const record = (name: string, { wallMs, cpuMs }: { wallMs: number; cpuMs: number }, units = 1) => {
        figures[name] = wallMs / units;
        figures[`${name}Cpu`] = cpuMs / units;
      };
      const total = stopwatch();
      yield* displace(model, agents, ++round);
      yield* scoped(function* () {
        const watch = stopwatch();
        for (let agent = 0; agent < agents; agent++) yield* base.fork();
        record("fork", watch());
      });
      yield* scoped(function* () {
        const other = yield* model.open({ system: `${round} ${yield* textOf(model, prefix)}`, tools: [] });
        const watch = stopwatch();
        yield* other.fork();
        record("compute", watch());
      });
      for (const [name, source, sizes] of [
        ["token", base, crowds],
        ["brief", brief, [1, 8]],
      ] as const) {
        for (const crowd of sizes) {
          yield* scoped(function* () {
            const forks: Session[] = [];
            for (let agent = 0; agent < crowd; agent++) forks.push(yield* source.fork());
            const { written, passed } = yield* write(forks, tokens);
            record(`${name}${crowd}`, passed, written);
          });
        }
      }
      figures.megabytes = (process.memoryUsage().rss - before) / sequences / 1e6;
      return { units: 1, ...total(), figures };
    },
  } satisfies Contender;
};
export default open;

/** All of them write at the same time; measured from when each has read its task until each has written its tokens. */
function* write(forks: readonly Session[], tokens: number) {
  const barrier = new Barrier(forks.length);
  let watch = stopwatch();
  const counts = yield* all(
    forks.map((fork, at) =>
      (function* (): Operation<number> {
        yield* fork.append([{ role: "user", content: [{ type: "text", text: `Go on, ${at}.` }] }]);
        const deltas = yield* fork.generate({ tools: [], maxTokens: tokens });
        yield* deltas.next();
        yield* until(
          barrier.arrive(() => {
            watch = stopwatch();
          }),
        );
        for (let next = yield* deltas.next(); ; next = yield* deltas.next())
          if (next.done) return next.value.usage.output - 1;
      })(),
    ),
  );
  const written = counts.reduce((sum, count) => sum + count, 0);
  if (written < forks.length * (tokens - 4)) throw new Error(`${written} tokens were written`);
  return { written, passed: watch() };
}

/** Has every sequence hold something else, so that what is forked next has to be copied. */
const displace = (model: Model, agents: number, round: number): Operation<void> =>
  scoped(function* () {
    for (let agent = 0; agent < agents; agent++) {
      const other = yield* model.open({ system: `${round}.${agent} is another text.`, tools: [] });
      yield* other.append([{ role: "user", content: [{ type: "text", text: "Go on." }] }]);
      yield* readTurn(other.generate({ tools: [], maxTokens: 1 }));
    }
  });

/** A text of about so many tokens. */
function* textOf(model: Model, tokens: number): Operation<string> {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => `line ${at} of what all agents share`).join("\n");
  const sample = 10;
  const each = yield* scoped(function* () {
    return (yield* model.open({ system: lines(sample), tools: [] })).tokens / sample;
  });
  return lines(Math.floor(tokens / each));
}

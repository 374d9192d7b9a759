import type { Message, Session, Turn } from "@agentpool/core";
import { readTurn } from "@agentpool/models";
import { all, type Operation, run, scoped, spawn, until } from "effection";
import { describe, expect, it } from "vitest";
import { load } from "../src/loaded.ts";
import { LlamaKernel } from "../src/native/llama-kernel.ts";
import { openModel } from "../src/native/open-model.ts";
import { openSession } from "../src/session.ts";
import { checkedSettings } from "../src/settings.ts";
import { noiseModel, small, useWatched, type WatchedModel } from "./noise.ts";

const path = noiseModel();
/** Takes the likeliest token, so that the same text is always followed by the same. */
const sure = { temperature: 0, maxTokens: 24 };

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const long = Array.from({ length: 60 }, (_, line) => `line ${line} of the shared text`).join("\n");
const prefix = { system: `You read.\n${long}`, tools: [] };

function* answer(session: Session, text: string): Operation<Turn> {
  yield* session.append([user(text)]);
  return (yield* readTurn(session.generate({ tools: [] }))).turn;
}

const computed = ({ kernel }: WatchedModel): number =>
  kernel.batches.flat().reduce((sum, { tokens }) => sum + tokens.length, 0);

describe("forks", () => {
  it("have in common what was computed once", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...sure, sequences: 9 });
      const spine = yield* model.open(prefix);
      const forks: Session[] = [];
      for (let count = 0; count < 8; count++) forks.push(yield* spine.fork());
      expect(model.kernel.copies).toHaveLength(7);
      expect(spine.tokens).toBeGreaterThan(700);
      // The common text, and nothing else.
      expect(computed(model)).toBeLessThan(spine.tokens);
      const before = computed(model);
      const turns = yield* all(forks.map((fork, index) => answer(fork, `Say ${index}.`)));
      for (const { usage } of turns) {
        expect(usage.cached).toBeGreaterThan(spine.tokens - 10);
        expect(usage.input - usage.cached).toBeLessThan(40);
      }
      expect(computed(model) - before).toBeLessThan(8 * 70);
    }));

  it("write together, in shared batches", () =>
    run(function* () {
      const model = yield* useWatched(noiseModel({ habits: {} }), { ...sure, sequences: 4 });
      const spine = yield* model.open(prefix);
      const forks: Session[] = [];
      for (let count = 0; count < 4; count++) forks.push(yield* spine.fork());
      const from = model.kernel.batches.length;
      yield* all(forks.map((fork, index) => answer(fork, `Say ${index}.`)));
      const sizes = model.kernel.batches.slice(from).map((parts) => parts.length);
      expect(sizes.filter((size) => size === 4).length).toBeGreaterThanOrEqual(20);
      expect(sizes.length).toBeLessThan(30);
    }));

  it("say what a conversation that was computed afresh says", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...sure, sequences: 3 });
      const source = yield* model.open(prefix);
      yield* answer(source, "First.");
      const fork = yield* source.fork();
      const [one, other] = [yield* answer(source, "Second."), yield* answer(fork, "Second.")];
      expect(other.text).toBe(one.text);
      const fresh = yield* useWatched(path, { ...sure, sequences: 1 });
      const again = yield* fresh.open(prefix);
      yield* answer(again, "First.");
      expect((yield* answer(again, "Second.")).text).toBe(one.text);
    }));

  it("are the same through a file, where the library has no copy", () =>
    run(function* () {
      const settings = checkedSettings({ ...small, ...sure });
      let files = 0;
      const loaded = yield* until(
        load(path, "llama:noise", settings, async (...given) => {
          const opened = await openModel(...given);
          const kernel = opened.kernel as LlamaKernel;
          const { context, ...internals } = kernel.parts.internals;
          const older: typeof context = {
            initBatch: (size) => context.initBatch(size),
            addToBatch: (...part) => context.addToBatch(...part),
            decodeBatch: () => context.decodeBatch(),
            sampleToken: (...sample) => context.sampleToken(...sample),
            disposeSequence: (sequence) => context.disposeSequence(sequence),
            removeTokenCellsFromSequence: (...cells) => context.removeTokenCellsFromSequence(...cells),
            saveSequenceStateToFile: (...file) => {
              files++;
              return context.saveSequenceStateToFile(...file);
            },
            loadSequenceStateFromFile: (...file) => context.loadSequenceStateFromFile(...file),
          };
          return {
            ...opened,
            kernel: new LlamaKernel({ ...kernel.parts, internals: { ...internals, context: older } }),
          };
        }),
      );
      const texts = yield* scoped(function* () {
        const source = yield* openSession(loaded, prefix);
        yield* answer(source, "First.");
        const fork = yield* source.fork();
        return [(yield* answer(source, "Second.")).text, (yield* answer(fork, "Second.")).text];
      });
      yield* until(loaded.engine.close());
      expect(files).toBeGreaterThan(0);
      expect(texts[1]).toBe(texts[0]);
    }));

  it("find what they have in common also when their source gave up its sequence", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...sure, sequences: 2 });
      const spine = yield* model.open(prefix);
      yield* scoped(function* () {
        yield* answer(yield* spine.fork(), "One.");
        yield* answer(yield* spine.fork(), "Two.");
      });
      const before = computed(model);
      const { usage } = yield* answer(yield* spine.fork(), "Three.");
      expect(usage.cached).toBeGreaterThan(spine.tokens - 10);
      expect(computed(model) - before).toBeLessThan(80);
    }));

  it("made at the same time compute what they have in common once", () =>
    run(function* () {
      const model = yield* useWatched(path, { ...sure, sequences: 4 });
      const spine = yield* model.open(prefix);
      yield* all([1, 2, 3, 4].map(() => spine.fork()));
      expect(computed(model)).toBeLessThan(spine.tokens);
    }));
});

describe("what ends", () => {
  it("gives back its sequence and all it held, when it is halted in the middle of whatever it did", () =>
    run(function* () {
      const model = yield* useWatched(noiseModel({ habits: {} }), { sequences: 3, maxTokens: 1_000 });
      const { kernel, loaded } = model;
      const spine = yield* model.open(prefix);
      const samplers = kernel.samplers;
      // Each is halted after another number of batches: while it forks, reads its task, or writes.
      for (let batches = 1; batches < 12; batches++) {
        let left = batches;
        const halted = yield* spawn(() =>
          scoped(function* () {
            const fork = yield* spine.fork();
            yield* answer(fork, long.slice(0, 600));
          }),
        );
        yield* until(
          new Promise<void>((resolve) => {
            kernel.onBatch = () => {
              if (--left === 0) resolve();
            };
          }),
        );
        yield* halted.halt();
        expect(kernel.samplers).toBe(samplers);
        expect(loaded.seats.writing).toBe(0);
        expect(loaded.engine.busy).toBe(false);
      }
      const forks = yield* all([spine.fork(), spine.fork(), spine.fork()]);
      expect(forks).toHaveLength(3);
    }));

  it("frees the native side only when nothing of it is under way", () =>
    run(function* () {
      const model = yield* scoped(function* () {
        const inner = yield* useWatched(noiseModel({ habits: {} }), { maxTokens: 1_000 });
        const session = yield* inner.open(prefix);
        yield* spawn(() => answer(session, "Go on."));
        yield* until(
          new Promise<void>((resolve) => {
            inner.kernel.onBatch = resolve;
          }),
        );
        return inner;
      });
      expect(model.kernel.closed).toBe(true);
      expect(model.kernel.samplers).toBe(0);
    }));
});

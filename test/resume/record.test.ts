import {
  agentPool,
  type Journal,
  JournalContext,
  type JournalEntry,
  JournalError,
  manualClock,
  parallel,
  ResumeError,
  reportTool,
  type Session,
  step,
  type Tool,
  ToolRetryError,
  useAgent,
  useCurrentAgent,
} from "@agentpool/core";
import { type Operation, run, scoped, spawn } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, held, instant, open, play, playing, quiet, report, thrownBy } from "../scenarios/support.ts";
import { worlds } from "../simulation/arbitrary.ts";
import { play as playWorld } from "../simulation/drive.ts";
import { memoryJournal } from "./memory-journal.ts";
import { crash, on, pool, resume } from "./support.ts";

describe("the record of a run", () => {
  it("has what happened in one order, and no deltas and no progress", () =>
    run(function* () {
      const journal = memoryJournal();
      const { events } = yield* play({
        ...pool({ model: playing({ text: "Hm.", ...ask("find") }, report()), tools: [instant("find")] }),
        journal,
      });
      const passing = ["turn:delta", "call:progress"];
      const kept = events.filter(({ type }) => !passing.includes(type));
      expect(journal.entries.filter(({ type }) => !type.startsWith("record:"))).toEqual(
        JSON.parse(JSON.stringify(kept)),
      );
      expect(journal.entries[0]!.type).toBe("record:begun");
    }));

  it("A7: keeps a call from executing until its intent is durable, and the model from reading until its outcome is", async () => {
    for (const world of fc.sample(worlds, { numRuns: 25, seed: 3 })) {
      const journal = memoryJournal([], { late: true });
      const isDurable = (about: (entry: JournalEntry) => boolean): boolean =>
        journal.entries.findLastIndex(about) < journal.durable;
      const begins = new Set<string>(["turn:started", "agent:state"]);
      const says = (agent: string) => (entry: JournalEntry) =>
        "agent" in entry && entry.agent === agent && !begins.has(entry.type);
      const means = (call: string, attempt: number) => (entry: JournalEntry) =>
        (entry.type === "call:dispatched" || entry.type === "record:intent") &&
        entry.call === call &&
        entry.attempt === attempt;
      const wrong: string[] = [];
      await playWorld(world, undefined, {
        adapt: (options) => ({
          ...options,
          journal,
          model: {
            ...options.model!,
            *open(prefix) {
              const session = yield* options.model!.open(prefix);
              return watched(session, (agent) => {
                if (!isDurable(says(agent))) wrong.push(`${agent} reads`);
              });
            },
          },
          tools: options.tools!.map((tool) => ({
            ...tool,
            execute(args, ctx) {
              if (!journal.entries.slice(0, journal.durable).some(means(ctx.id, ctx.attempt)))
                wrong.push(`${ctx.id} executes`);
              return tool.execute(args, ctx);
            },
          })),
        }),
      });
      expect(wrong).toEqual([]);
    }
  }, 120_000);

  it("may be kept by a journal that promises the same each time", () =>
    run(function* () {
      const kept = Promise.resolve();
      const journal = { ...memoryJournal(), flush: () => kept };
      const slow = async () => new Promise((resolve) => setImmediate(() => resolve("found")));
      const model = playing(ask("find"), ask("find", { q: "more" }), report());
      const rig = yield* open({ ...pool({ model, tools: [instant("find", { execute: slow })] }), journal });
      for (let turn = 0; turn < 20; turn++) yield* quiet;
      expect(rig.outcome.result?.totals).toMatchObject({ turns: 3, toolCalls: 2 });
    }));

  it("is waited for no more once all of it is durable", () =>
    run(function* () {
      const durable: boolean[] = [];
      const journal = memoryJournal([], { late: true });
      const result = yield* agentPool({
        ...pool({ model: playing(report()) }),
        journal,
        *orchestrate(pool) {
          const agent = yield* pool.spawn("look");
          yield* pool.waitFor(agent);
          yield* quiet;
          durable.push(journal.durable === journal.entries.length);
          yield* pool.waitFor(agent);
        },
      });
      expect([...durable, result.agents.length]).toEqual([true, 1]);
    }));

  it("has an agent's end before anybody waits for it no more, and a pool's before its result is there", () =>
    run(function* () {
      const journal = memoryJournal([], { late: true });
      const durable = (type: string): boolean =>
        journal.entries.slice(0, journal.durable).some((entry) => entry.type === type);
      const seen: boolean[] = [];
      const result = yield* agentPool({
        ...pool({ model: playing(report()) }),
        journal,
        *orchestrate(pool) {
          yield* pool.waitFor(yield* pool.spawn("look"));
          seen.push(durable("agent:ended"));
        },
      });
      expect(result.agents).toHaveLength(1);
      expect([...seen, durable("pool:closed")]).toEqual([true, true]);
    }));

  it("has an approval that is asked for while nobody has answered", () =>
    run(function* () {
      const journal = memoryJournal([], { late: true });
      yield* scoped(function* () {
        yield* open({
          ...pool({ model: playing(ask("send"), report()), tools: [instant("send")] }),
          requireApproval: ["send"],
          journal,
        });
        yield* quiet;
        expect(journal.entries.slice(0, journal.durable).map(({ type }) => type)).toContain(
          "approval:requested",
        );
      });
    }));

  it.each<[string, (journal: Journal) => Journal]>([
    ["an entry", (journal) => ({ ...journal, append: failing("append") })],
    ["something for good", (journal) => ({ ...journal, flush: failing("flush") })],
    [
      "to become durable later",
      (journal) => ({ ...journal, flush: () => Promise.reject(new Error("disk full")) }),
    ],
  ])("that fails to take %s ends the run, and nothing executes that is not on it", (_, broken) =>
    run(function* () {
      const send = instant("send");
      const rig = yield* open({
        ...pool({ model: playing(ask("send"), report()), tools: [send], orchestrate: parallel(["a", "b"]) }),
        journal: broken(memoryJournal()),
      });
      yield* quiet;
      expect(rig.outcome.error).toBeInstanceOf(JournalError);
      expect((rig.outcome.error as Error).message).toContain("disk full");
      expect(send.asked).toEqual([]);
    }),
  );

  it("that fails at the very end says so too", () =>
    run(function* () {
      const journal = memoryJournal();
      const rig = yield* open({
        ...pool({ model: playing(report()), tools: [] }),
        journal: {
          ...journal,
          flush: () =>
            journal.entries.at(-1)?.type === "pool:closed"
              ? Promise.reject(new Error("disk full"))
              : undefined,
        },
      });
      yield* quiet;
      expect(rig.outcome.error).toBeInstanceOf(JournalError);
    }));

  it("that fails in the middle keeps what was on it, and the run is taken up from there", () =>
    run(function* () {
      const script = [ask("send", { q: "1" }), ask("send", { q: "2" }), report()];
      const journal = memoryJournal();
      const send = instant("send");
      const failed = yield* open({
        ...pool({ model: playing(...script), tools: [send] }),
        journal: {
          ...journal,
          append(entry) {
            if (entry.type === "call:dispatched" && entry.call === "agent/0:2#0")
              throw new Error("disk full");
            journal.append(entry);
          },
        },
      });
      expect(failed.outcome.error).toBeInstanceOf(JournalError);
      expect(send.asked).toEqual(["1"]);
      yield* resume(pool({ model: playing(...script), tools: [send] }), journal.entries);
      expect(send.asked).toEqual(["1", "2"]);
    }));
});

describe("a harness that is not the one on record", () => {
  const script = [ask("find", { q: "a" }), report()];
  const begun = () =>
    crash(
      pool({
        model: playing(...script),
        tools: [held("find", { idempotent: true })],
        orchestrate: parallel(["a", "b"]),
      }),
      on("call:dispatched", "agent/1:1#0"),
    );
  const other = {
    ...instant("find", { idempotent: true }),
    parameters: z.object({ q: z.string(), more: z.string() }),
  };

  it.each([
    ["another task", { orchestrate: parallel(["a", "c"]) }, /agent "agent\/1" has another task.*"c".*"b"/],
    ["no such agent", { orchestrate: parallel(["a"]) }, /not started again: agent\/1/],
    ["a tool less", { tools: [instant("look")] }, /"find" is missing; "look" is new/],
    ["other parameters", { tools: [other] }, /"find" takes other parameters/],
    [
      "another identity",
      { tools: [instant("find", { idempotent: true, source: "mcp" })] },
      /was local:find and is mcp:find/,
    ],
    ["another run", { run: "other" }, /of run "r", not of "other"/],
  ])("is told so where it has %s", (_, changed, message) =>
    run(function* () {
      const options = {
        ...pool({
          model: playing(...script),
          tools: [instant("find", { idempotent: true })],
          orchestrate: parallel(["a", "b"]),
        }),
        ...changed,
      };
      const error = yield* thrownBy(resume(options, yield* begun()));
      expect(error).toBeInstanceOf(ResumeError);
      expect((error as Error).message).toMatch(message);
    }),
  );

  it("is taken all the same by force", () =>
    run(function* () {
      const options = pool({
        model: playing(...script),
        tools: [instant("find", { idempotent: true }), instant("new")],
        orchestrate: parallel(["a", "c"]),
      });
      const { result } = yield* resume(options, yield* begun(), { force: true });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
    }));

  it("may have other hooks", () =>
    run(function* () {
      const options = pool({
        model: playing(...script),
        tools: [instant("find", { idempotent: true })],
        orchestrate: parallel(["a", "b"]),
        hooks: [{ name: "new", onPropose: () => ({ type: "proceed", todo: "Hurry." }) }],
      });
      const { result } = yield* resume(options, yield* begun());
      expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
    }));
});

describe("a job of several top pools on one record", () => {
  const agent = (key: string, tool: Tool, model = playing(ask("find", { q: key }), report(key))) =>
    useAgent({ key, model, tools: [tool], terminal: reportTool, task: key, clock: manualClock() });

  it("finds each by its key: those that were over are over", () =>
    run(function* () {
      const journal = memoryJournal();
      yield* scoped(function* () {
        yield* JournalContext.set(journal);
        yield* agent("plan", instant("find"));
        yield* spawn(() => agent("research", held("find", { idempotent: true })));
        yield* quiet;
      });
      const model = playing(ask("find", { q: "x" }), report("again"));
      const find = instant("find", { idempotent: true });
      const results = yield* scoped(function* () {
        yield* JournalContext.set(memoryJournal(journal.entries));
        const plan = yield* agent("plan", find, model);
        return [plan, yield* agent("research", find)];
      });
      expect(results.map(({ result }) => result)).toEqual(["plan", "research"]);
      expect(model.requests).toEqual([]);
      expect(find.asked).toEqual(["research"]);
    }));

  it("is told where two have the same key", () =>
    run(function* () {
      yield* JournalContext.set(memoryJournal());
      yield* agent("same", instant("find"));
      expect(yield* thrownBy(agent("same", instant("find")))).toMatchObject({
        name: "ConfigurationError",
        message: expect.stringContaining('there was a pool "same"'),
      });
    }));
});

describe("a step of a harness", () => {
  function* job(log: string[], fails = false): Operation<unknown> {
    const first = yield* step("first", function* ({ id }) {
      log.push(id);
      return { random: 4 };
    });
    const second = yield* step("second", function* ({ id }) {
      log.push(id);
      if (fails) throw new Error("not yet");
      return "two";
    });
    return [first, second];
  }

  it("is done once: a run that is taken up has its result, and does again what failed", () =>
    run(function* () {
      const log: string[] = [];
      const journal = memoryJournal();
      yield* scoped(function* () {
        yield* JournalContext.set(journal);
        yield* thrownBy(job(log, true));
      });
      const again = yield* scoped(function* () {
        yield* JournalContext.set(memoryJournal(journal.entries));
        return yield* job(log);
      });
      expect(again).toEqual([{ random: 4 }, "two"]);
      expect(log).toEqual(["first", "second", "second"]);
    }));

  it("is simply done without a journal, and says so where its result is no JSON or its key was taken", () =>
    run(function* () {
      expect(yield* job([])).toEqual([{ random: 4 }, "two"]);
      yield* JournalContext.set(memoryJournal());
      const bad = step("bad", function* () {
        return 1n as never;
      });
      expect(yield* thrownBy(bad)).toMatchObject({ message: expect.stringContaining('step "bad"') });
      yield* job([]);
      expect(yield* thrownBy(job([]))).toMatchObject({ message: expect.stringContaining('a step "first"') });
    }));

  it("whose result cannot be put on record says so", () =>
    run(function* () {
      yield* JournalContext.set({ ...memoryJournal(), flush: () => Promise.reject(new Error("disk full")) });
      expect(yield* thrownBy(job([]))).toBeInstanceOf(JournalError);
    }));

  it("of a tool is one of its call, whatever its attempts", () =>
    run(function* () {
      const sent: string[] = [];
      const tool = (busy: boolean): Tool => ({
        ...instant("send", { idempotent: true }),
        *execute({ q }, { attempt }) {
          yield* step("mail", function* ({ id }) {
            sent.push(`${id} ${q}`);
            return null;
          });
          if (busy && attempt === 0) throw new ToolRetryError("busy", 1_000);
          return "sent";
        },
      });
      const script = [ask("send", { q: "a" }), report()];
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [tool(true)] }),
        on("call:parked"),
      );
      yield* resume(pool({ model: playing(...script), tools: [tool(true)] }), entries);
      expect(sent).toEqual(["agent/0:1#0/mail a"]);
    }));
});

const failing = (what: string) => (): never => {
  throw new Error(`disk full: ${what}`);
};

/** A session that says who is about to read. */
function watched(session: Session, reading: (agent: string) => void): Session {
  return {
    get tokens() {
      return session.tokens;
    },
    append: (messages) => session.append(messages),
    *fork() {
      return watched(yield* session.fork(), reading);
    },
    mark: () => session.mark(),
    rewind: (to) => session.rewind(to),
    generate: (request) => ({
      *[Symbol.iterator]() {
        reading((yield* useCurrentAgent())!.key);
        return yield* session.generate(request);
      },
    }),
  };
}

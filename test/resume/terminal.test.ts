import {
  agentPool,
  defineTool,
  type JournalEntry,
  parallel,
  reportTool,
  type Tool,
  type ToolContext,
  type ToolLifecycleHooks,
  ToolRetryError,
} from "@agentpool/core";
import type { ScriptedTurn } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  casting,
  instant,
  lastShown,
  play,
  playing,
  type RigOptions,
  report,
} from "../scenarios/support.ts";
import { recordViolations } from "./invariants.ts";
import { clockAfter, memoryJournal } from "./memory-journal.ts";
import { crash, on, pool, resume } from "./support.ts";

type Publish = Tool & { readonly published: string[] };

/** What ends an agent, and cannot be taken back. */
function publish(more: Partial<Tool> = {}, body: (ctx: ToolContext) => unknown = () => "out"): Publish {
  const published: string[] = [];
  const tool = defineTool({
    name: "publish",
    description: "Publishes what you found, and ends your task.",
    parameters: z.object({ text: z.string() }),
    execute: (_, ctx) => {
      published.push(`${ctx.id} ${ctx.attempt}`);
      return body(ctx);
    },
  });
  return Object.assign({ ...tool, ...more }, { published });
}

const write: ScriptedTurn = ask("publish", { text: "all" });
const script: readonly ScriptedTurn[] = [ask("find"), write, { text: "It may be out." }];

/** A pool of one that publishes. */
const publishing = (terminal: Tool, more: Partial<RigOptions> = {}): RigOptions =>
  pool({ model: playing(...script), tools: [instant("find", { idempotent: true })], terminal, ...more });

/** The whole record of a pool. */
function* recordOf(options: RigOptions) {
  const journal = memoryJournal();
  const { result } = yield* play({ ...options, journal });
  expect(recordViolations(journal.entries)).toEqual([]);
  return { entries: journal.entries, agent: result.agents[0]! };
}

const has = (entries: readonly JournalEntry[], type: JournalEntry["type"]): boolean =>
  entries.some((entry) => entry.type === type);

/** Takes a pool up from each prefix of its record; `look` says what has to be true there. */
function* fromEachPrefix(
  make: (terminal: Publish) => RigOptions,
  terminal: () => Publish,
  look: (at: {
    readonly prefix: readonly JournalEntry[];
    readonly published: readonly string[];
    readonly agent: unknown;
  }) => void,
) {
  const { entries } = yield* recordOf(make(terminal()));
  for (let length = 0; length <= entries.length; length++) {
    const prefix = entries.slice(0, length);
    const journal = memoryJournal(prefix);
    const tool = terminal();
    const { result } = yield* play({ ...make(tool), journal, clock: clockAfter(prefix) });
    expect([length, ...recordViolations(journal.entries)]).toEqual([length]);
    look({ prefix, published: tool.published, agent: result.agents[0]! });
  }
}

describe("a terminal call of a run that is taken up", () => {
  it("runs once, from whatever prefix of its record; where that does not say whether it ran, its agent is told so and ends in words", () =>
    run(function* () {
      const seen = new Set<string>();
      yield* fromEachPrefix(publishing, publish, ({ prefix, published, agent }) => {
        if (!has(prefix, "record:executing")) {
          expect(published).toEqual(["agent/0:2#0 0"]);
          expect(agent).toMatchObject({ exit: "returned", result: "out", turns: 2 });
        } else if (!has(prefix, "record:executed")) {
          seen.add("unknown");
          expect(published).toEqual([]);
          expect(agent).toMatchObject({ exit: "text", result: "It may be out.", turns: 3 });
        } else {
          seen.add("known");
          expect(published).toEqual([]);
          expect(agent).toMatchObject({ exit: "returned", result: "out", report: { text: "all" } });
        }
      });
      expect([...seen]).toEqual(["unknown", "known"]);
    }));

  it("is answered with what is known of it: nothing, and what to do then; and that stands", () =>
    run(function* () {
      const { entries } = yield* recordOf(publishing(publish()));
      const executing = entries.findIndex(({ type }) => type === "record:executing");
      const prefix = entries.slice(0, executing + 1);
      const model = playing(...script);
      const first = yield* resume(publishing(publish(), { model }), prefix);
      expect(lastShown(model, "agent/0").at(-1)).toMatchObject({
        tool: "publish",
        type: "error-text",
        value: expect.stringMatching(/not known whether publish ran.*answer in words/),
      });
      expect(first.result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1 });
      // the process ends again, after its agent was told
      for (let length = executing + 2; length < first.journal.entries.length; length++) {
        const tool = publish();
        const again = yield* resume(publishing(tool), first.journal.entries.slice(0, length));
        expect([length, tool.published]).toEqual([length, []]);
        expect(again.result).toEqual(first.result);
      }
    }));

  it("runs again under the same key where its tool says that this does no harm", () =>
    run(function* () {
      const idempotent = (): Publish => publish({ idempotent: true });
      yield* fromEachPrefix(publishing, idempotent, ({ prefix, published, agent }) => {
        expect(published).toEqual(has(prefix, "record:executed") ? [] : ["agent/0:2#0 0"]);
        expect(agent).toMatchObject({ exit: "returned", result: "out", turns: 2 });
      });
    }));

  it("goes on with the attempt that is due, and no attempt is given twice", () =>
    run(function* () {
      const busy = (): Publish =>
        publish({}, ({ attempt }) => {
          if (attempt === 0) throw new ToolRetryError("busy", 1_000);
          return "out";
        });
      yield* fromEachPrefix(publishing, busy, ({ prefix, published, agent }) => {
        const attempts = prefix.filter(({ type }) => type === "record:executing").length;
        const isOpen = prefix.findLast(({ type }) => type === "record:executing" || type === "call:parked");
        if (has(prefix, "record:executed")) expect(published).toEqual([]);
        else if (isOpen?.type === "record:executing") expect(agent).toMatchObject({ exit: "text" });
        else expect(published).toEqual(["agent/0:2#0 0", "agent/0:2#0 1"].slice(attempts));
        if (isOpen?.type !== "record:executing" || has(prefix, "record:executed"))
          expect(agent).toMatchObject({ exit: "returned", result: "out", parks: 1 });
      });
    }));

  it("that had opened a pool goes on in it", () =>
    run(function* () {
      const make = (find: Tool) => {
        const close = defineTool({
          name: "close",
          description: "Ends, once a helper has had a look.",
          parameters: z.object({}),
          *execute() {
            const { agents } = yield* agentPool({
              tools: [find],
              terminal: reportTool,
              orchestrate: parallel(["check"]),
            });
            return agents[0]!.result;
          },
        });
        const model = casting({ "agent/0": [ask("close")], check: [ask("find"), report("checked")] });
        return { model, options: pool({ model, tools: [], terminal: close }) };
      };
      const whole = yield* recordOf(make(instant("find", { idempotent: true })).options);
      for (const [at, { type }] of whole.entries.entries()) {
        if (type !== "call:dispatched" && type !== "pool:closed") continue;
        const { options, model } = make(instant("find", { idempotent: true }));
        const { result } = yield* resume(options, whole.entries.slice(0, at + 1));
        expect(result.agents[0]).toEqual(whole.agent);
        expect(model.requestsOf("agent/0")).toEqual([]);
      }
    }));

  it("has its result asked about by nobody before it is on record, and is not run again when it is rejected on resume", () =>
    run(function* () {
      const seen: (boolean | string)[] = [];
      const journal = memoryJournal([], { late: true });
      const hook: ToolLifecycleHooks = {
        onReturn: ({ result }) => {
          const at = journal.entries.findLastIndex(({ type }) => type === "record:executed");
          seen.push(String(result), at >= 0 && at < journal.durable);
          return undefined;
        },
      };
      yield* play({ ...publishing(publish(), { hooks: [hook] }), journal });
      expect(seen).toEqual(["out", true]);
      const executed = journal.entries.findIndex(({ type }) => type === "record:executed");
      const tool = publish();
      const reject: ToolLifecycleHooks = {
        onReturn: () => ({ type: "reject", message: "Say it in words." }),
      };
      const { result } = yield* resume(
        publishing(tool, { hooks: [reject] }),
        journal.entries.slice(0, executed + 1),
      );
      expect(tool.published).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "text", result: "It may be out." });
    }));

  it("executes only once its intent is durable", () =>
    run(function* () {
      const journal = memoryJournal([], { late: true });
      const durable: boolean[] = [];
      const terminal = publish({}, () => {
        const at = journal.entries.findLastIndex(({ type }) => type === "record:executing");
        durable.push(at >= 0 && at < journal.durable);
        return "out";
      });
      yield* play({ ...publishing(terminal), journal });
      expect(durable).toEqual([true]);
    }));

  it("that was running when a message came in is not forgotten: it is not run again for that", () =>
    run(function* () {
      const entries = yield* crash(
        publishing(publish({}, () => new Promise(() => {}))),
        on("agent:steered"),
        function* ({ handle }) {
          handle.steer("agent/0", "And the bridge?");
        },
      );
      const tool = publish();
      const model = playing(...script);
      const { result } = yield* resume(publishing(tool, { model }), entries);
      expect(tool.published).toEqual([]);
      expect(lastShown(model, "agent/0").at(-1)!.value).toMatch(/not known whether publish ran/);
      expect(result.agents[0]).toMatchObject({ exit: "text" });
    }));
});

describe("the terminal call of a forced report", () => {
  const forced = (terminal: Publish): RigOptions =>
    publishing(terminal, { budget: { maxTurns: 1 }, model: playing(ask("find"), write) });

  it("runs once, from whatever prefix of its record; where nobody knows, what it would have said is kept", () =>
    run(function* () {
      yield* fromEachPrefix(forced, publish, ({ prefix, published, agent }) => {
        const isUnknown = has(prefix, "record:executing") && !has(prefix, "record:executed");
        expect(published).toEqual(has(prefix, "record:executing") ? [] : ["agent/0:2#0 0"]);
        expect(agent).toMatchObject(
          isUnknown
            ? { result: { text: "all" }, reason: expect.stringMatching(/not known whether publish ran/) }
            : { result: "out", report: { text: "all" } },
        );
      });
    }));

  it("is left alone once an earlier one may have run: the agent answers in words", () =>
    run(function* () {
      const make = (terminal: Publish, model = playing(ask("find"), write, { text: "As it stands." })) =>
        publishing(terminal, { budget: { maxTurns: 2 }, model });
      const { entries } = yield* recordOf(make(publish()));
      const executing = entries.findIndex(({ type }) => type === "record:executing");
      const tool = publish();
      const model = playing(ask("find"), write, { text: "As it stands." });
      const first = yield* resume(make(tool, model), entries.slice(0, executing + 1));
      expect(tool.published).toEqual([]);
      expect(model.requests.at(-1)!.request).toMatchObject({ tools: [], toolChoice: "none" });
      expect(first.result.agents[0]).toMatchObject({ exit: "max_turns", result: "As it stands." });
      for (let length = executing + 2; length < first.journal.entries.length; length++)
        expect([length, (yield* resume(make(tool), first.journal.entries.slice(0, length))).result]).toEqual([
          length,
          first.result,
        ]);
      expect(tool.published).toEqual([]);
    }));
});

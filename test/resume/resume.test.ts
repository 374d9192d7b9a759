import { dag, dedup, parallel } from "@agentpool/core";
import { run, scoped } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  held,
  instant,
  open,
  play,
  playing,
  type RigOptions,
  report,
  textOf,
} from "../scenarios/support.ts";
import { memoryJournal } from "./memory-journal.ts";
import { crash, on, pool, resume } from "./support.ts";

describe("an agent of a run that is taken up", () => {
  it("has its recorded result without a generation where it was over, and its siblings go on", () =>
    run(function* () {
      const parts = { "0": [report("zero")], "1": [ask("find", { q: "a" }), report("one")] };
      const tools = [held("find", { idempotent: true })];
      const orchestrate = parallel(["a", "b"]);
      const entries = yield* crash(
        pool({ model: casting(parts), tools, orchestrate }),
        on("call:dispatched", "agent/1:1#0"),
      );
      const model = casting(parts);
      const { result } = yield* resume(
        pool({ model, tools: [instant("find", { idempotent: true })], orchestrate }),
        entries,
      );
      expect(result.agents.map(({ result, turns }) => [result, turns])).toEqual([
        ["zero", 1],
        ["one", 2],
      ]);
      expect(model.requestsOf("agent/0")).toEqual([]);
      expect(model.requestsOf("agent/1").map(({ turn }) => turn)).toEqual([2]);
      expect(result.totals).toMatchObject({ agents: 2, turns: 3, toolCalls: 1, attended: 1 });
    }));

  it("is shown the very conversation it had, to the byte", () =>
    run(function* () {
      const script = [
        { ...ask("find", { q: "a" }), reasoning: "First a.", text: "Let me see." },
        asks(["find", { q: "b" }], ["find", '{"q": '], ["nothing"]),
        report(),
      ];
      const options = () => pool({ model: playing(...script), tools: [instant("find")] });
      const whole = options();
      yield* play(whole);
      const shown = (model: typeof whole.model) =>
        (model as ReturnType<typeof playing>).requestsOf("agent/0").at(-1)!.messages;
      const entries = yield* crash(options(), (event) => event.type === "turn:started" && event.turn === 3);
      const again = options();
      yield* resume(again, entries);
      expect(JSON.stringify(shown(again.model))).toBe(JSON.stringify(shown(whole.model)));
      expect((again.model as ReturnType<typeof playing>).requestsOf("agent/0")).toHaveLength(1);
    }));

  it("goes on from the place in the spine at which it forked, whoever is back first", () =>
    run(function* () {
      const script = { first: [report("one")], late: [ask("wait"), report("late")], last: [report("last")] };
      const nodes = [
        { id: "first", task: "first" },
        { id: "late", task: "late" },
        { id: "last", task: "last", dependsOn: ["first", "late"] },
      ];
      const options = (tool: ReturnType<typeof instant>) =>
        pool({ model: casting(script), tools: [tool], orchestrate: dag(nodes) });
      const entries = yield* crash(
        pool({
          model: casting(script),
          tools: [held("wait", { idempotent: true })],
          orchestrate: dag(nodes),
        }),
        on("spine:extended"),
      );
      const again = options(instant("wait", { idempotent: true }));
      const { result, journal } = yield* resume(again, entries);
      const model = again.model as ReturnType<typeof casting>;
      expect(textOf(model.requestsOf("agent/late")[0]!.messages)).not.toContain("one");
      expect(textOf(model.requestsOf("agent/last")[0]!.messages)).toContain("one");
      expect(textOf(model.requestsOf("agent/last")[0]!.messages).match(/late/g)!.length).toBeGreaterThan(1);
      expect(result.agents).toHaveLength(3);
      expect(journal.entries.filter(({ type }) => type === "spine:extended")).toHaveLength(3);
    }));

  it("forks from a parent that is over as the parent stood then", () =>
    run(function* () {
      const script = {
        "0": [ask("find", { q: "a" }), report("parent")],
        child: [ask("find", { q: "a" }), ask("wait"), report("child")],
        grandchild: [report("grandchild")],
      };
      const orchestrate: RigOptions["orchestrate"] = function* (pool) {
        const parent = yield* pool.spawn("begin");
        yield* pool.waitFor(parent);
        const child = yield* pool.spawn({ task: "go on", key: "child", parent });
        yield* pool.waitFor(child);
        yield* pool.waitFor(yield* pool.spawn({ task: "and on", key: "grandchild", parent: child }));
      };
      const find = () => instant("find", { hooks: { beforeDispatch: [sameQuery] } });
      const at = on("call:dispatched", "agent/child:2#0");
      const entries = yield* crash(
        pool({ model: casting(script), tools: [find(), held("wait")], orchestrate }),
        at,
      );
      const model = casting(script);
      const { result } = yield* resume(
        pool({ model, tools: [find(), instant("wait")], orchestrate }),
        entries,
      );
      expect(result.agents.map(({ result }) => result)).toEqual(["parent", "child", "grandchild"]);
      // what its parent had read it has read
      expect(result.agents[1]!.refusals).toMatchObject([{ guard: "same_query" }]);
      expect(model.requestsOf("agent/0")).toEqual([]);
      const shown = textOf(model.requestsOf("agent/grandchild")[0]!.messages);
      for (const task of ["begin", "go on", "and on"]) expect(shown).toContain(task);
    }));

  it("hears what people told it and it had not heard", () =>
    run(function* () {
      const script = [ask("wait"), report()];
      const entries = yield* crash(
        pool({ model: playing(...script), tools: [held("wait")] }),
        on("agent:steered"),
        function* ({ handle }) {
          handle.steer("agent/0", "Look in the attic.");
        },
      );
      const model = playing(...script);
      yield* resume(pool({ model, tools: [instant("wait")] }), entries);
      expect(textOf(model.requestsOf("agent/0").at(-1)!.messages).match(/attic/g)).toHaveLength(1);
    }));

  it("was cancelled for good where somebody cancelled it, and not where its process went away", () =>
    run(function* () {
      const script = [ask("wait"), report()];
      const options = (tool: ReturnType<typeof held>) =>
        pool({ model: playing(...script), tools: [tool], orchestrate: parallel(["a", "b"]) });
      const entries = yield* crash(options(held("wait")), on("agent:ended"), function* ({ handle }) {
        yield* handle.cancel("agent/0");
      });
      const journal = memoryJournal(entries);
      const { result } = yield* resume(
        pool({
          model: playing(...script),
          tools: [instant("wait")],
          orchestrate: parallel(["a", "b"]),
        }),
        journal.entries,
      );
      expect(result.agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
    }));

  it("has nothing on record of a halt", () =>
    run(function* () {
      const journal = memoryJournal();
      const seen: string[] = [];
      yield* scoped(function* () {
        yield* open({
          ...pool({ model: playing(ask("send"), report()), tools: [instant("send")] }),
          requireApproval: ["send"],
          journal,
          onEvent: ({ type }) => seen.push(type),
        });
      });
      const ends = ["agent:ended", "approval:void", "pool:closed"];
      expect(seen).toEqual(expect.arrayContaining(ends));
      const recorded = journal.entries.map(({ type }) => type);
      for (const type of ends) expect(recorded).not.toContain(type);
    }));
});

const sameQuery = dedup("same_query", ({ q }) => q);

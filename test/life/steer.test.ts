import { defineTool, parallel, refuse, reportTool, runPool } from "@agentpool/core";
import type { ScriptedModel } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  casting,
  finish,
  held,
  instant,
  ofType,
  open,
  playing,
  quiet,
  type Rig,
  report,
  textOf,
  thrownBy,
  unanswered,
} from "../scenarios/support.ts";
import { approve, openLife, waiting } from "./support.ts";

/** What a model was told in its last turn, in words. */
const lastTold = (model: ScriptedModel, key = "agent/0"): string =>
  textOf(model.requestsOf(key).at(-1)?.messages ?? []);

/** Plays one agent that is spoken to while its first call runs. */
function* spokenTo(options: Parameters<typeof openLife>[0]) {
  const hold = held("hold");
  const rig = yield* openLife({ ...options, tools: [hold] });
  expect(rig.handle.steer("agent/0", "Add one.")).toBe(true);
  hold.running[0]!.succeed();
  const result = yield* finish(rig);
  return { ...rig, result };
}

describe("a message to a running agent", () => {
  it("is read before its next turn, after the results of the step, in the order messages came, and once", () =>
    run(function* () {
      const hold = held("hold");
      const model = playing(ask("hold"), ask("hold", { q: "again" }), report());
      const rig = yield* openLife({ model, tools: [hold] });
      expect(rig.handle.steer("agent/0", "first")).toBe(true);
      expect(rig.handle.steer("agent/0", "second")).toBe(true);
      hold.running[0]!.succeed();
      yield* quiet;
      hold.running[0]!.succeed();
      yield* finish(rig);
      const roles = model.requestsOf("agent/0")[1]!.messages.map(({ role }) => role);
      expect(roles.slice(-4)).toEqual(["assistant", "tool", "user", "user"]);
      const texts = model.requestsOf("agent/0")[2]!.messages.map((message) => textOf([message]));
      expect(texts.filter((text) => text.includes("first"))).toHaveLength(1);
      expect(texts.findIndex((text) => text.includes("first"))).toBeLessThan(
        texts.findIndex((text) => text.includes("second")),
      );
      expect(ofType(rig.events, "agent:steered").map(({ message }) => message)).toEqual(["first", "second"]);
    }));

  it("costs no turn and is no call", () =>
    run(function* () {
      const { result } = yield* spokenTo({ model: playing(ask("hold"), report()) });
      expect(result.agents[0]).toMatchObject({ turns: 2, toolCallCount: 1, refusals: [] });
    }));

  for (const [when, type] of [
    ["while the report is generated", "turn:completed"],
    ["while its report is looked at", "call:proposed"],
  ] as const)
    it(`that comes ${when} is read before the agent ends, and its second report counts`, () =>
      run(function* () {
        const model = playing(ask("hold"), report("41"), report("42"));
        const late: { handle?: Rig["handle"] } = {};
        let turns = 0;
        const hold = held("hold");
        const rig = yield* openLife({
          model,
          tools: [hold],
          onEvent: (event) => {
            if (event.type === "turn:completed") turns++;
            if (turns === 2 && event.type === type) late.handle!.steer("agent/0", "Add one.");
          },
        });
        late.handle = rig.handle;
        hold.running[0]!.succeed();
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ result: "42", exit: "returned", turns: 3, refusals: [] });
        expect(lastTold(model)).toContain("Add one.");
        expect(unanswered(model.requestsOf("agent/0").at(-1)!.messages)).toEqual([]);
        expect(ofType(rig.events, "call:withdrawn").map(({ call }) => call)).toEqual(["agent/0:2#0"]);
      }));

  it("that comes while a hook thinks about the return is read before the agent ends, and the hook is asked again", () =>
    run(function* () {
      const late: { handle?: Rig["handle"] } = {};
      const returns: unknown[] = [];
      const hold = held("hold");
      const model = playing(ask("hold"), report("41"), report("42"));
      const rig = yield* openLife({
        model,
        tools: [hold],
        hooks: [
          {
            onReturn({ result }) {
              returns.push(result);
              if (returns.length === 1) late.handle!.steer("agent/0", "Add one.");
            },
          },
        ],
      });
      late.handle = rig.handle;
      hold.running[0]!.succeed();
      const { agents } = yield* finish(rig);
      expect(returns).toEqual(["41", "42"]);
      expect(agents[0]).toMatchObject({ result: "42", exit: "returned" });
      expect(lastTold(model)).toContain("Add one.");
    }));

  it("that comes while the call runs that ends an agent says of one that cannot be taken back that it ran", () =>
    run(function* () {
      for (const [idempotent, told] of [
        [false, /This publish ran, and a message came in.*call publish again only where it has to run again/],
        [true, /This publish was not taken.*call publish again/],
      ] as const) {
        const publish = held("publish", { idempotent });
        const model = playing(ask("publish", { q: "41" }), { text: "It is out, and one more." });
        const rig = yield* openLife({ model, tools: [instant("find")], terminal: publish });
        rig.handle.steer("agent/0", "Add one.");
        publish.held("41").succeed();
        const result = yield* finish(rig);
        expect(textOf(model.requestsOf("agent/0").at(-1)!.messages)).toMatch(told);
        expect(result.agents[0]).toMatchObject({ exit: "text", result: "It is out, and one more." });
        expect(publish.calls).toHaveLength(1);
      }
    }));

  it("that comes while a person is asked about the return keeps the return from being carried out", () =>
    run(function* () {
      const carried: unknown[] = [];
      const terminal = defineTool({
        name: "send",
        description: "Sends the answer.",
        parameters: z.object({ result: z.string() }),
        execute: ({ result }) => {
          carried.push(result);
          return result;
        },
      });
      const model = playing(ask("send", { result: "41" }), ask("send", { result: "42" }));
      const rig = yield* openLife({ model, terminal, tools: [instant("look")], requireApproval: ["send"] });
      rig.handle.steer("agent/0", "Add one.");
      yield* approve(rig, waiting(rig));
      expect(carried).toEqual([]);
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect(carried).toEqual(["42"]);
      expect(agents[0]).toMatchObject({ result: "42", exit: "returned" });
    }));

  it("that comes while it answers in words is read before it ends", () =>
    run(function* () {
      const late: { handle?: Rig["handle"] } = {};
      const hold = held("hold");
      const model = playing(ask("hold"), { text: "41" }, { text: "42" });
      let turns = 0;
      const rig = yield* open({
        model,
        tools: [hold],
        orchestrate: parallel(["look"]),
        onEvent: ({ type }) => {
          if (type === "turn:completed" && ++turns === 2) late.handle!.steer("agent/0", "Add one.");
        },
      });
      late.handle = rig.handle;
      hold.running[0]!.succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ result: "42", exit: "text" });
    }));

  it("that comes in its last turn is not waited for: it has no turn left to do better", () =>
    run(function* () {
      const { result } = yield* spokenTo({
        model: playing(ask("hold"), report("41")),
        budget: { maxTurns: 2 },
        hooks: [{ onReturn: () => undefined }],
      });
      expect(result.agents[0]).toMatchObject({ result: "41", exit: "returned", turns: 2 });
    }));

  it("that comes before a forced report is read in it", () =>
    run(function* () {
      const model = playing(ask("hold"), report("what I have"));
      const { result } = yield* spokenTo({ model, budget: { maxTurns: 1 } });
      expect(result.agents[0]).toMatchObject({ result: "what I have", exit: "max_turns" });
      expect(lastTold(model)).toContain("Add one.");
    }));

  it("outlives a step that was sent back, and one whose calls were all refused", () =>
    run(function* () {
      const late: { handle?: Rig["handle"] } = {};
      const hold = held("hold");
      const model = playing(ask("hold"), ask("other"), ask("no"), report());
      const rig = yield* openLife({
        model,
        tools: [
          hold,
          instant("no", { hooks: { beforeDispatch: [{ name: "no", decide: () => refuse("no") }] } }),
          instant("other"),
        ],
        hooks: [
          {
            onPropose({ calls, attempt }) {
              if (calls[0]!.tool !== "other" || attempt > 0) return undefined;
              late.handle!.steer("agent/0", "Add one.");
              return { type: "restart", reasoning: "otherwise" };
            },
          },
        ],
      });
      late.handle = rig.handle;
      hold.running[0]!.succeed();
      yield* finish(rig);
      const told = model
        .requestsOf("agent/0")
        .map(({ messages }) => textOf(messages).split("Add one.").length - 1);
      expect(told).toEqual([0, 0, 1, 1]);
    }));

  it("is the one agent's: its siblings and its helpers are told nothing; a helper has its own key", () =>
    run(function* () {
      const hold = held("hold");
      const model = casting({
        "agent/0": [ask("hold", { q: "0" }), report()],
        "agent/1": [ask("hold", { q: "1" }), report()],
      });
      const rig = yield* openLife({ model, tools: [hold], orchestrate: parallel(["a", "b"]) });
      rig.handle.steer("agent/1", "Add one.");
      for (const call of hold.running) call.succeed();
      yield* finish(rig);
      expect(lastTold(model, "agent/0")).not.toContain("Add one.");
      expect(lastTold(model, "agent/1")).toContain("Add one.");
    }));

  it("to an agent that is over says false, and to one there is not is an error with the nearest", () =>
    run(function* () {
      const hold = held("hold");
      const model = casting({ "agent/0": [report()], "agent/1": [ask("hold"), report()] });
      const rig = yield* openLife({ model, tools: [hold], orchestrate: parallel(["a", "b"]) });
      expect(rig.handle.steer("agent/0", "too late")).toBe(false);
      expect(ofType(rig.events, "agent:steered")).toEqual([]);
      const error = yield* thrownBy({
        *[Symbol.iterator]() {
          rig.handle.steer("agent/3", "who?");
        },
      });
      expect(String(error)).toContain("did you mean");
      hold.running[0]!.succeed();
      yield* finish(rig);
    }));

  it("is offered by runPool as well", async () => {
    const model = playing(ask("look"), report());
    const pool = runPool({
      model,
      tools: [
        instant("look", {
          execute: async (_args, { agent }) => {
            await null;
            return pool.steer(agent.key, "Add one.");
          },
        }),
      ],
      terminal: reportTool,
      orchestrate: parallel(["look"]),
    });
    await pool;
    expect(lastTold(model)).toContain("Add one.");
  });
});

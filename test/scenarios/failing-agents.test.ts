import { delegate, parallel, reportTool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  casting,
  finish,
  held,
  instant,
  lastShown,
  ofType,
  open,
  play,
  quiet,
  report,
  textOf,
} from "./support.ts";

describe("M1: one agent's failure", () => {
  const failures: { readonly [how: string]: readonly object[] } = {
    "its model throws": [{ error: new Error("the model is down") }],
    "its model refuses": [{ text: "I will not.", finish: "refusal" }],
    "its script ends": [ask("search")],
  };
  for (const [how, turns] of Object.entries(failures))
    it(`M1: where ${how} keeps its siblings' results, and is reported as a failure with its reason`, () =>
      run(function* () {
        const { result, events } = yield* play({
          model: casting({ bad: turns, good: [ask("search", { q: "x" }), report("found")] }),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["good", "bad", "good"]),
        });
        expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "model_error", "returned"]);
        expect(result.agents.map((agent) => agent.result)).toEqual(["found", undefined, "found"]);
        expect(result.agents[1]!.reason).toMatch(/down|refused|ended after/);
        expect(ofType(events, "agent:returned").map(({ agent }) => agent)).not.toContain("agent/1");
        expect(ofType(events, "agent:ended").find(({ agent }) => agent === "agent/1")!.result.exit).toBe(
          "model_error",
        );
      }));

  it("M1: in a delegate is told to its caller, who goes on", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("delegate", { tasks: ["good", "bad"] }), report()]
          : task === "bad"
            ? [{ error: new Error("the model is down") }]
            : [report("helped")],
      );
      const { result } = yield* play({
        model,
        tools: [delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(result.agents[0]!.exit).toBe("returned");
      expect(lastShown(model, "agent/0")[0]!.value).toMatchObject([
        { task: "good", exit: "returned", result: "helped" },
        { task: "bad", exit: "model_error", result: null, reason: "the model is down" },
      ]);
    }));

  it("M1: at a limit is reported as that, with what it had", () =>
    run(function* () {
      const { result } = yield* play({
        model: casting({ long: [ask("search"), ask("search"), report("half")], short: [report("whole")] }),
        tools: [instant("search")],
        terminal: reportTool,
        budget: { maxTurns: 2 },
        orchestrate: parallel(["long", "short"]),
      });
      expect(result.agents.map(({ exit, result }) => [exit, result])).toEqual([
        ["max_turns", "half"],
        ["returned", "whole"],
      ]);
    }));
});

describe("M5: a report answers its own agent's task", () => {
  it("M5: whatever the order agents end in", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) => [ask("search", { q: task }), report(`about ${task}`)]),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["apples", "pears", "plums"]),
      });
      for (const task of ["plums", "apples", "pears"]) {
        search.held(task).succeed();
        yield* quiet;
      }
      const { agents } = yield* finish(rig);
      expect(agents.map(({ key, task, result }) => [key, task, result])).toEqual([
        ["agent/0", "apples", "about apples"],
        ["agent/1", "pears", "about pears"],
        ["agent/2", "plums", "about plums"],
      ]);
    }));

  it("M5: for helpers too, and each is shown its own task last", () =>
    run(function* () {
      const model = scripted(({ task }) =>
        task === "boss"
          ? [ask("delegate", { tasks: ["apples", "pears"] }), report()]
          : [report(`about ${task}`)],
      );
      yield* play({ model, tools: [delegate()], terminal: reportTool, orchestrate: parallel(["boss"]) });
      expect(lastShown(model, "agent/0")[0]!.value).toMatchObject([
        { task: "apples", result: "about apples" },
        { task: "pears", result: "about pears" },
      ]);
      for (const moment of model.requests)
        expect(textOf(moment.messages.slice(-1))).toContain(moment.key === "agent/0" ? "" : moment.task);
    }));
});

import {
  delegate,
  parallel,
  refuse,
  reportTool,
  type ToolGuard,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, instant, lastShown, noted, ofType, play, playing, report, textOf } from "./support.ts";

describe("the order of contributors", () => {
  const says = (name: string, log: string[], answer?: "refuse"): ToolGuard => ({
    name,
    decide: ({ tool }) => {
      if (tool === "report") return undefined;
      log.push(name);
      return answer ? refuse(`${name} refuses`) : undefined;
    },
  });

  it("is the called tool's own hooks, then the harness's in order", () =>
    run(function* () {
      const log: string[] = [];
      yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            hooks: [
              { beforeDispatch: [says("own 1", log), says("own 2", log)] },
              { beforeDispatch: [says("own 3", log)] },
            ],
          }),
        ],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [says("harness 1", log)] }, { beforeDispatch: [says("harness 2", log)] }],
        orchestrate: parallel(["look"]),
      });
      expect(log).toEqual(["own 1", "own 2", "own 3", "harness 1", "harness 2"]);
    }));

  it("ends with the first concrete answer: nobody after it is asked", () =>
    run(function* () {
      const log: string[] = [];
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", { hooks: { beforeDispatch: [says("own", log), says("first", log, "refuse")] } }),
        ],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [says("second", log, "refuse")] }],
        orchestrate: parallel(["look"]),
      });
      expect(log).toEqual(["own", "first"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "first", message: "first refuses" }]);
    }));

  it("takes undefined, null and a bare proceed as no opinion, at every moment", () =>
    run(function* () {
      const log: string[] = [];
      const nothing = [undefined, null, { type: "proceed" }] as never[];
      const abstainers = nothing.map(
        (nil): ToolLifecycleHooks => ({
          beforeDispatch: [{ name: "abstains", decide: () => nil }],
          afterExecute: () => nil,
          afterAdmit: () => nil,
          onReturn: () => nil,
        }),
      );
      const { result, events } = yield* play({
        model: playing(ask("search"), report("mine")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [
          ...abstainers,
          {
            afterExecute: () => noted(log, "afterExecute", { type: "attempt" }),
            afterAdmit: () => noted(log, "afterAdmit", { type: "none" }),
            onReturn: () => noted(log, "onReturn", { type: "accept", result: "theirs" }),
          },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(log).toEqual(["afterExecute", "afterAdmit", "onReturn"]);
      expect(result.agents[0]!.result).toBe("theirs");
      expect(ofType(events, "hook:error")).toEqual([]);
    }));

  it("in nested pools has the outermost harness first", () =>
    run(function* () {
      const log: string[] = [];
      yield* play({
        model: scripted(({ task }) =>
          task === "boss" ? [ask("delegate", { tasks: ["help"] }), report()] : [ask("search"), report()],
        ),
        tools: [
          instant("search", { hooks: { beforeDispatch: [says("own", log)] } }),
          delegate({ hooks: [{ beforeDispatch: [says("inner", log)] }] }),
        ],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [{ ...says("outer", log), tools: ["search"] } as ToolGuard] }],
        orchestrate: parallel(["boss"]),
      });
      expect(log).toEqual(["own", "outer", "inner"]);
    }));

  it("has each of the five moments once per call, in the order of a call's life", () =>
    run(function* () {
      const log: string[] = [];
      const all: ToolLifecycleHooks = {
        beforeDispatch: [
          { name: "watch", decide: ({ tool }) => void (tool === "search" && log.push("beforeDispatch")) },
        ],
        onResult: () => void log.push("onResult"),
        afterExecute: () => void log.push("afterExecute"),
        beforeAdmit: () => void log.push("beforeAdmit"),
        afterAdmit: () => void log.push("afterAdmit"),
        onReturn: () => void log.push("onReturn"),
      };
      yield* play({
        model: playing(ask("search"), report()),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [all],
        orchestrate: parallel(["look"]),
      });
      expect(log).toEqual(["beforeDispatch", "onResult", "afterExecute", "afterAdmit", "onReturn"]);
    }));

  it("asks beforeAdmit where a result does not fit: nudge replaces it, and it is not attended", () =>
    run(function* () {
      const model = scripted(() => [ask("search"), report("short of room")], { contextWindow: 400 });
      const { result } = yield* play({
        model,
        tools: [instant("search", { execute: () => "x".repeat(4_000) })],
        terminal: reportTool,
        hooks: [
          {
            beforeAdmit: ({ tokens, room }) => ({ type: "nudge", message: `too long by ${tokens > room}` }),
          },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(lastShown(model, "agent/0")).toMatchObject([{ type: "error-text", value: "too long by true" }]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "short of room", attendedCount: 0 });
    }));

  it("says a followUp after the results of the step, when all of them were read", () =>
    run(function* () {
      const model = playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report());
      yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [{ afterAdmit: ({ call }) => ({ type: "followUp", message: `now read ${call.args.q}` }) }],
        orchestrate: parallel(["look"]),
      });
      const roles = model.requests[1]!.messages.map(({ role }) => role);
      expect(roles.slice(-5)).toEqual(["assistant", "tool", "tool", "user", "user"]);
      expect(textOf(model.requests[1]!.messages.slice(-2))).toMatch(/now read a.*now read b/);
    }));
});

import { agentPool, delegate, parallel, refuse, reportTool, type ToolGuard } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, instant, lastShown, ofType, play, playing, report } from "./support.ts";

describe("M2: what holds for an agent holds for those that work for it", () => {
  /** A boss that hands one task to a helper, who makes one call. */
  const bossAndHelper = (...helper: Parameters<typeof ask>) =>
    scripted(({ task }) =>
      task === "boss" ? [ask("delegate", { tasks: ["help"] }), report()] : [ask(...helper), report("helped")],
    );
  const refusing: ToolGuard = {
    name: "strict",
    tools: ["search", "local:search"],
    decide: () => refuse("never"),
  };

  it("M2: denies", () =>
    run(function* () {
      const shell = instant("shell");
      const { result, events } = yield* play({
        model: bossAndHelper("shell"),
        tools: [shell, delegate()],
        terminal: reportTool,
        deny: ["shell"],
        orchestrate: parallel(["boss"]),
      });
      expect(shell.asked).toEqual([]);
      expect(result.totals.refusals).toBe(1);
      expect(ofType(events, "call:refused")).toMatchObject([
        { guard: "deny", agent: expect.stringContaining("~") },
      ]);
    }));

  it("M2: denies, also of tools that the nested pool brings itself", () =>
    run(function* () {
      const shell = instant("shell");
      yield* play({
        model: bossAndHelper("shell"),
        tools: [instant("shell"), delegate({ tools: [shell], terminal: reportTool })],
        terminal: reportTool,
        deny: ["shell"],
        orchestrate: parallel(["boss"]),
      });
      expect(shell.asked).toEqual([]);
    }));

  it("M2: denies, also of a tool that a nested pool serves under another name", () =>
    run(function* () {
      const shell = instant("run", { identity: "local:shell" });
      yield* play({
        model: bossAndHelper("run"),
        tools: [instant("shell"), delegate({ tools: [shell], terminal: reportTool })],
        terminal: reportTool,
        deny: ["shell"],
        orchestrate: parallel(["boss"]),
      });
      expect(shell.asked).toEqual([]);
    }));

  it("M2: the harness's guards", () =>
    run(function* () {
      const search = instant("search");
      const { result } = yield* play({
        model: bossAndHelper("search"),
        tools: [
          search,
          delegate({
            hooks: [{ beforeDispatch: [{ name: "lenient", decide: () => ({ type: "proceed" }) }] }],
          }),
        ],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([]);
      expect(result.totals.refusals).toBe(1);
    }));

  it("M2: the harness's guards, also for tools that the nested pool brings itself", () =>
    run(function* () {
      const search = instant("search");
      yield* play({
        model: bossAndHelper("search"),
        tools: [instant("other"), delegate({ tools: [search], terminal: reportTool })],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([]);
    }));

  it("M2: a tool's own guards, also where the nested pool brings the same tool without them", () =>
    run(function* () {
      const bare = instant("search");
      yield* play({
        model: bossAndHelper("search"),
        tools: [
          instant("search", { hooks: { beforeDispatch: [refusing] } }),
          delegate({ tools: [bare], terminal: reportTool }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(bare.asked).toEqual([]);
    }));

  it("M2: onReturn of the harness", () =>
    run(function* () {
      const returned: string[] = [];
      yield* play({
        model: bossAndHelper("search"),
        tools: [instant("search"), delegate()],
        terminal: reportTool,
        hooks: [{ onReturn: ({ agent }) => void returned.push(agent.task) }],
        orchestrate: parallel(["boss"]),
      });
      expect(returned).toEqual(["help", "boss"]);
    }));

  it("M2: a nested pool may not switch off a guard of the pool around it", () =>
    run(function* () {
      const search = instant("search");
      const model = bossAndHelper("search");
      yield* play({
        model,
        tools: [search, delegate({ guards: { strict: false } })],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([]);
      expect(lastShown(model, "agent/0")[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/guards\.strict.*may not switch off/),
      });
    }));

  it("M2: a nested pool may switch off a guard of its own", () =>
    run(function* () {
      const search = instant("search");
      yield* play({
        model: bossAndHelper("search"),
        tools: [search, delegate({ hooks: [{ beforeDispatch: [refusing] }], guards: { strict: false } })],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      expect(search.asked).toEqual([""]);
    }));

  it("M2: a nested pool may be given the very guards map of the pool around it", () =>
    run(function* () {
      const guards = { strict: false } as const;
      const search = instant("search");
      const model = bossAndHelper("search");
      yield* play({
        model,
        tools: [search, delegate({ guards })],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [refusing] }],
        guards,
        orchestrate: parallel(["boss"]),
      });
      expect(lastShown(model, "agent/0")[0]).toMatchObject({ type: "json" });
      expect(search.asked).toEqual([""]);
    }));

  const twoReaders = () =>
    scripted(({ task }) =>
      task === "boss"
        ? [ask("delegate", { tasks: ["one", "two"] }), report()]
        : [ask("search", { q: "x" }), report()],
    );
  const once: ToolGuard = {
    name: "once",
    message: "again?",
    tools: ["search"],
    reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
  };
  for (const [where, outer, inner, expected] of [
    ["neither", undefined, undefined, 2],
    ["the outer pool", { once: { scope: "cohort" } }, undefined, 1],
    ["the nested pool", undefined, { once: { scope: "cohort" } }, 1],
    [
      "the outer pool, and narrows it in the nested",
      { once: { scope: "cohort" } },
      { once: { scope: "lineage" } },
      1,
    ],
  ] as const)
    it(`M2: a guard widened by ${where} lets ${expected} of two equal calls of helpers run`, () =>
      run(function* () {
        const search = instant("search");
        yield* play({
          model: twoReaders(),
          tools: [search, delegate({ guards: inner })],
          terminal: reportTool,
          hooks: [{ beforeDispatch: [once] }],
          guards: outer,
          orchestrate: parallel(["boss"]),
        });
        expect(search.asked).toHaveLength(expected);
      }));

  for (const [outer, inner, runs] of [
    [[], undefined, false],
    [[], ["pay"], false],
    [["pay"], undefined, true],
    [["pay"], ["pay"], true],
    [["pay"], [], false],
    [["pay", "sell"], ["sell"], false],
    [["local:*"], ["pay"], true],
    [["pay"], ["local:pay"], true],
  ] as [string[], string[] | undefined, boolean][]) {
    it(`M2: grants intersect: ${JSON.stringify(outer)} around ${JSON.stringify(inner)} ${runs ? "lets" : "does not let"} a helper pay`, () =>
      run(function* () {
        const pay = instant("pay", { protected: true });
        yield* play({
          model: bossAndHelper("pay"),
          tools: [pay, instant("sell", { protected: true }), delegate({ grants: inner })],
          terminal: reportTool,
          grants: outer,
          orchestrate: parallel(["boss"]),
        });
        expect(pay.asked).toHaveLength(runs ? 1 : 0);
      }));
  }

  it("M2: the tools of an agent's task: its helpers have no others", () =>
    run(function* () {
      const shell = instant("shell");
      yield* play({
        model: bossAndHelper("shell"),
        tools: [shell, instant("read"), delegate()],
        terminal: reportTool,
        orchestrate: parallel([{ task: "boss", tools: ["read", "delegate"] }]),
      });
      expect(shell.asked).toEqual([]);
    }));

  it("M2: a pool that an orchestrator opens is under its pool's guards and denies too", () =>
    run(function* () {
      const [search, shell] = [instant("search"), instant("shell")];
      const model = playing(asks(["search"], ["shell"]), report());
      yield* play({
        model,
        tools: [search, shell],
        terminal: reportTool,
        deny: ["shell"],
        hooks: [{ beforeDispatch: [refusing] }],
        *orchestrate() {
          yield* agentPool({ key: "inner", orchestrate: parallel(["x"]) });
        },
      });
      expect([search.asked, shell.asked]).toEqual([[], []]);
    }));
});

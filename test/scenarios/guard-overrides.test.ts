import {
  type agentPool,
  ConfigurationError,
  checkedOverrides,
  delegate,
  parallel,
  refuse,
  reportTool,
  substitute,
  type Tool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { FetchPage, fetchOf } from "./fetch-page.ts";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  thrownBy,
} from "./support.ts";

describe("widening and switching off", () => {
  const chainOfTwo = (tool: FetchPage, guards: Parameters<typeof agentPool>[0]["guards"]) =>
    play({
      model: casting({
        first: [fetchOf("http://a"), report("1")],
        second: [fetchOf("http://a"), report("2")],
      }),
      tools: [tool],
      terminal: reportTool,
      guards,
      *orchestrate(pool) {
        yield* pool.waitFor(yield* pool.spawn({ task: "first", key: "first" }));
        yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second" }));
      },
    });

  it("does not deduplicate siblings by default", () =>
    run(function* () {
      const tool = new FetchPage();
      const { result } = yield* chainOfTwo(tool, undefined);
      expect(tool.fetched).toEqual(["http://a", "http://a"]);
      expect(result.agents.map(({ refusals }) => refusals.length)).toEqual([0, 0]);
    }));

  it("widens a guard to the cohort by name: a URL that any sibling read is not fetched again", () =>
    run(function* () {
      const tool = new FetchPage();
      const { result } = yield* chainOfTwo(tool, { url_dedup: { scope: "cohort" } });
      expect(tool.fetched).toEqual(["http://a"]);
      expect(result.agents[1]!.refusals).toMatchObject([{ guard: "url_dedup" }]);
    }));

  it("switches a guard off by name", () =>
    run(function* () {
      const tool = new FetchPage();
      yield* play({
        model: playing(fetchOf("http://a"), fetchOf("http://a"), report()),
        tools: [tool],
        terminal: reportTool,
        guards: { url_dedup: false },
        orchestrate: parallel(["read"]),
      });
      expect(tool.fetched).toHaveLength(2);
    }));

  it("is an error for a name nobody knows, which names the nearest", () =>
    run(function* () {
      const misnamed = play({
        model: playing(report()),
        tools: [new FetchPage()],
        terminal: reportTool,
        guards: { url_dedupe: { scope: "cohort" } },
        orchestrate: parallel(["read"]),
      });
      const error = yield* thrownBy(misnamed);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/guards\.url_dedupe.*did you mean "url_dedup"/);
    }));

  it("takes names a pool does not have from a map that was checked for the whole harness", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(report()),
        tools: [new FetchPage()],
        terminal: reportTool,
        guards: checkedOverrides({
          url_dedup: { scope: "cohort" as const },
          query_dedup: { scope: "cohort" as const },
        }),
        orchestrate: parallel(["read"]),
      });
      expect(result.agents[0]!.exit).toBe("returned");
    }));

  for (const setting of [true, "cohort", 1, null, { scope: "everyone" }, { scop: "cohort" }] as const)
    it(`is an error for a setting that is neither false nor a scope: ${JSON.stringify(setting)}`, () =>
      run(function* () {
        const error = yield* thrownBy(
          play({
            model: playing(report()),
            tools: [new FetchPage()],
            terminal: reportTool,
            guards: { url_dedup: setting } as never,
            orchestrate: parallel(["read"]),
          }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain("guards.url_dedup");
      }));

  it("does nothing for auth_reject: false, and says so", () =>
    run(function* () {
      const pay = instant("pay", { protected: true });
      const { result, events } = yield* play({
        model: playing(ask("pay"), report()),
        tools: [pay],
        terminal: reportTool,
        guards: { auth_reject: false },
        orchestrate: parallel(["buy"]),
      });
      expect(pay.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "pay", guard: "auth_reject" }]);
      expect(ofType(events, "notice").map(({ message }) => message)).toEqual([
        expect.stringMatching(/guards\.auth_reject does nothing/),
      ]);
    }));

  const guardOf = (...tools: string[]) => ({
    beforeDispatch: [{ name: "no_pay", tools, reject: () => true, message: "no" }],
  });

  it("says where a guard's tools name none that there is, while another's name is near", () =>
    run(function* () {
      const noticed = function* (hook: ToolLifecycleHooks) {
        const { events } = yield* play({
          model: playing(ask("pay"), report()),
          tools: [instant("pay")],
          terminal: reportTool,
          hooks: [hook],
          orchestrate: parallel(["buy"]),
        });
        return ofType(events, "notice").map(({ message }) => message);
      };
      expect(yield* noticed(guardOf("pya"))).toEqual([
        "guard no_pay has pya in its tools, which no tool here is called; did you mean pay?",
      ]);
      // another pool may have a tool of that name
      expect(yield* noticed(guardOf("pay", "local:pay", "pa*", "send_letter"))).toEqual([]);
      // one list that several pools of a job have is told of once
      const shared = guardOf("pya");
      expect([...(yield* noticed(shared)), ...(yield* noticed(shared))]).toHaveLength(1);
    }));

  it("lets a guard of a pool around name a tool of that pool", () =>
    run(function* () {
      const guarded = guardOf("pay");
      const { events } = yield* play({
        model: casting({ top: [ask("ask", { tasks: ["look"] }), report()], look: [report()] }),
        tools: [
          instant("pay"),
          delegate({ name: "ask", tools: [instant("pays")], terminal: reportTool, hooks: [guarded] }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["top"]),
      });
      expect(ofType(events, "notice")).toEqual([]);
    }));

  it("lets a fork inherit its ancestors' reads as a snapshot: what they read later it has not read", () =>
    run(function* () {
      const tool = new FetchPage();
      const { result } = yield* play({
        model: casting({
          parent: [fetchOf("http://before"), fetchOf("http://wait"), fetchOf("http://after"), report()],
          child: [fetchOf("http://before"), fetchOf("http://after"), report()],
        }),
        tools: [tool],
        terminal: reportTool,
        *orchestrate(pool) {
          const parent = yield* pool.spawn({ task: "parent", key: "parent" });
          // forked when it ended: it knows everything
          yield* pool.waitFor(parent);
          yield* pool.waitFor(yield* pool.spawn({ task: "child", key: "child", parent }));
        },
      });
      expect(result.agents[1]!.parent).toBe("agent/parent");
      expect(result.agents[1]!.refusals).toHaveLength(2);

      const second = new FetchPage();
      const gate = held("gate");
      const rig = yield* open({
        model: casting({
          parent: [fetchOf("http://before"), ask("gate", { q: "g" }), fetchOf("http://after"), report()],
          child: [ask("gate", { q: "child" }), fetchOf("http://before"), fetchOf("http://after"), report()],
        }),
        tools: [second, gate],
        terminal: reportTool,
        *orchestrate(pool) {
          const parent = yield* pool.spawn({ task: "parent", key: "parent" });
          while (gate.running.length === 0) yield* quiet;
          const child = yield* pool.spawn({ task: "child", key: "child", parent });
          yield* pool.waitFor(parent);
          yield* pool.waitFor(child);
        },
      });
      yield* quiet;
      gate.held("g").succeed();
      yield* quiet;
      expect(second.fetched).toEqual(["http://before", "http://after"]);
      gate.held("child").succeed();
      const agents = (yield* finish(rig)).agents;
      expect(second.fetched).toEqual(["http://before", "http://after", "http://after"]);
      expect(agents[1]!.refusals).toHaveLength(1);
    }));

  it("lets a delegate inherit its caller's reads, and its caller's alone", () =>
    run(function* () {
      const tool = new FetchPage();
      const { result } = yield* play({
        model: scripted(({ task }) =>
          task === "boss"
            ? [fetchOf("http://a"), ask("delegate", { tasks: ["h1", "h2"] }), report()]
            : [asks(["fetch_page", { url: "http://a" }], ["fetch_page", { url: "http://b" }]), report()],
        ),
        tools: [tool, delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      // the helpers are siblings: each reads b for itself, and neither reads a again
      expect(tool.fetched).toEqual(["http://a", "http://b", "http://b"]);
      expect(result.totals.refusals).toBe(2);
    }));
});

describe("a protected tool", () => {
  const pay = () => instant("pay", { protected: true });
  const buying = (tool: Tool, more: Partial<Parameters<typeof play>[0]> = {}) =>
    play({
      model: playing(ask("pay", { q: "10" }), report()),
      tools: [tool],
      terminal: reportTool,
      orchestrate: parallel(["buy"]),
      ...more,
    });

  it("is refused without a grant, and the model reads why", () =>
    run(function* () {
      const tool = pay();
      const model = playing(ask("pay"), report());
      const { result } = yield* buying(tool, { model });
      expect(tool.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "pay", guard: "auth_reject" }]);
      expect(shown(model.requests[1]!.messages)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/protected.*grant/),
      });
    }));

  it("runs with a grant", () =>
    run(function* () {
      const tool = pay();
      yield* buying(tool, { grants: ["pay"] });
      expect(tool.asked).toEqual(["10"]);
    }));

  it("is refused before any hook is asked, and no hook's answer lifts it", () =>
    run(function* () {
      const asked: string[] = [];
      const eager: ToolLifecycleHooks = {
        beforeDispatch: [
          { name: "eager", decide: ({ tool }) => noted(asked, tool, { type: "proceed" }) },
          { name: "pretend", decide: ({ tool }) => (tool === "pay" ? substitute("paid") : undefined) },
        ],
      };
      const tool = instant("pay", { protected: true, hooks: eager });
      const { result } = yield* buying(tool, { hooks: [eager], guards: { auth_reject: false } });
      expect(asked).not.toContain("pay");
      expect(tool.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "auth_reject" }]);
    }));

  it("with a grant is still refused where a guard refuses", () =>
    run(function* () {
      const not_today = () => refuse("not today");
      const tool = instant("pay", { protected: true, hooks: { beforeDispatch: [not_today] } });
      const { result } = yield* buying(tool, { grants: ["pay"] });
      expect(tool.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "not_today", message: "not today" }]);
    }));

  it("lets no guard take the framework's name", () =>
    run(function* () {
      const error = yield* thrownBy(
        buying(instant("pay"), {
          hooks: [{ beforeDispatch: [{ name: "auth_reject", decide: () => undefined }] }],
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain("auth_reject");
    }));
});

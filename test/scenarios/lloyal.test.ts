import {
  type agentPool,
  ConfigurationError,
  checkedOverrides,
  dedup,
  delegate,
  type ExecutedInput,
  type GuardInput,
  parallel,
  refuse,
  reportTool,
  substitute,
  type Tool,
  type ToolGuard,
  type ToolLifecycleHooks,
  ToolRetryError,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { call, type Operation, run, spawn, useAbortSignal } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  lastShown,
  leftovers,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  textOf,
  thrownBy,
} from "./support.ts";

const EVIDENCE_REJECTION = "Search or read something before reporting.";

const EVIDENCE_FIRST: ToolLifecycleHooks = {
  onReturn: ({ agent }) =>
    agent.toolCallCount < 1 ? { type: "reject", message: EVIDENCE_REJECTION } : undefined,
};

const urlDedup: ToolGuard = {
  name: "url_dedup",
  reject: ({ args, attended }) => {
    const url = String(args.url ?? "").trim();
    return url !== "" && attended().some((a) => String(a.url ?? "").trim() === url);
  },
  message: "This URL was already attempted in this run. Try a different source.",
};

/** A tool as a class, the way the page declares hooks on one. */
class FetchPage implements Tool {
  readonly name: string = "fetch_page";
  readonly description = "Fetches a page.";
  readonly parameters = z.object({ url: z.string().optional() });
  readonly hooks: ToolLifecycleHooks = { beforeDispatch: [urlDedup] };
  readonly fetched: string[] = [];
  execute(args: { [key: string]: unknown }): unknown {
    this.fetched.push(String(args.url));
    return `the page ${args.url}`;
  }
}

const fetchOf = (url?: string) => ask("fetch_page", url === undefined ? {} : { url });

describe("a hook of the pool at onReturn", () => {
  it("refuses an early report once, and the model reads its message in the report's place", () =>
    run(function* () {
      const search = instant("search");
      const model = playing(report("too early"), ask("search", { q: "x" }), report("with evidence"));
      const { result, events } = yield* play({
        model,
        tools: [search],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(shown(model.requests[1]!.messages)).toMatchObject([
        { tool: "report", type: "error-text", value: EVIDENCE_REJECTION },
      ]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "with evidence", toolCallCount: 1 });
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "report", message: EVIDENCE_REJECTION }]);
      expect(ofType(events, "agent:returned")).toHaveLength(1);
    }));

  it("lets a second report stand, so that an agent that found nothing can say so", () =>
    run(function* () {
      const model = playing(report("nothing"), report("really nothing"));
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "really nothing", turns: 2 });
    }));

  it("allows one rejected return per agent, whoever rejects", () =>
    run(function* () {
      let asked = 0;
      const never: ToolLifecycleHooks = {
        onReturn: () => {
          asked++;
          return { type: "reject", message: "no" };
        },
      };
      const { result } = yield* play({
        model: playing(report("one"), report("two")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [never, never, EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "two" });
      expect(asked).toBeGreaterThan(0);
    }));

  it("cannot be satisfied by the terminal call itself: toolCallCount does not count it", () =>
    run(function* () {
      const counts: number[] = [];
      const { result } = yield* play({
        model: playing(report("a"), report("b")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [{ onReturn: ({ agent }) => void counts.push(agent.toolCallCount) }, EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(counts).toEqual([0, 0]);
      expect(result.agents[0]!.toolCallCount).toBe(0);
      expect(result.totals.toolCalls).toBe(0);
    }));

  it("lets a later contributor's rejection stand although an earlier one accepted", () =>
    run(function* () {
      const accepts: ToolLifecycleHooks = { onReturn: () => ({ type: "accept" }) };
      const { result } = yield* play({
        model: playing(report("early"), ask("search"), report("late")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [accepts, EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ result: "late", turns: 3 });
    }));

  it("lets an earlier contributor's rejection stand although a later one accepts", () =>
    run(function* () {
      const accepts: ToolLifecycleHooks = { onReturn: () => ({ type: "accept" }) };
      const { result } = yield* play({
        model: playing(report("early"), ask("search"), report("late")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST, accepts],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ result: "late", turns: 3 });
    }));

  it("is not heard once the turn cap is exhausted: the return stands", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(report("only chance")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        budget: { maxTurns: 1 },
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "only chance", turns: 1 });
    }));

  it("is not heard once the context is exhausted: the return stands", () =>
    run(function* () {
      const long = "word ".repeat(1_000);
      const { result } = yield* play({
        model: scripted(() => [report(long)], { contextWindow: 1_000 }),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: long });
    }));

  it("covers an agent that ends with plain text", () =>
    run(function* () {
      const model = playing({ text: "I think so." }, ask("search"), { text: "I know so." });
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        hooks: [EVIDENCE_FIRST],
        orchestrate: parallel(["look"]),
      });
      expect(textOf(model.requests[1]!.messages)).toContain(EVIDENCE_REJECTION);
      expect(result.agents[0]).toMatchObject({ exit: "text", result: "I know so." });
    }));

  it("may accept with another result, and the first to do so counts", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(report("raw")),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [
          { onReturn: () => ({ type: "accept", result: "polished" }) },
          { onReturn: () => ({ type: "accept", result: "polished twice" }) },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]!.result).toBe("polished");
    }));
});

describe("a guard", () => {
  it("refuses a URL whose page the agent has read, and the model reads its message as the tool's result", () =>
    run(function* () {
      const tool = new FetchPage();
      const model = playing(fetchOf("http://a"), fetchOf(" http://a "), fetchOf("http://b"), report());
      const { result, events } = yield* play({
        model,
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["read"]),
      });
      expect(tool.fetched).toEqual(["http://a", "http://b"]);
      expect(shown(model.requests[2]!.messages)[1]).toMatchObject({
        tool: "fetch_page",
        type: "error-text",
        value: urlDedup.message,
      });
      expect(result.agents[0]!.refusals).toEqual([
        { tool: "fetch_page", guard: "url_dedup", message: urlDedup.message },
      ]);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 2, attendedCount: 2 });
      expect(ofType(events, "call:refused")).toMatchObject([{ guard: "url_dedup", tool: "fetch_page" }]);
    }));

  it("does not block a call without the argument it looks at", () =>
    run(function* () {
      const tool = new FetchPage();
      const { result } = yield* play({
        model: playing(fetchOf(), fetchOf(), report()),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["read"]),
      });
      expect(tool.fetched).toHaveLength(2);
      expect(result.agents[0]!.refusals).toEqual([]);
    }));

  it("sees in attended() the arguments of this tool's calls alone, and only of those whose result was read", () =>
    run(function* () {
      const seen: unknown[] = [];
      const look: ToolGuard = ({ tool, attended }: GuardInput) => {
        seen.push([tool, attended().map(({ q }) => q)]);
        return undefined;
      };
      const flaky = instant("flaky", {
        execute: ({ q }) => {
          if (q === "bad") throw new Error("down");
          return "fine";
        },
      });
      yield* play({
        model: playing(
          ask("flaky", { q: "bad" }),
          ask("search", { q: "s" }),
          ask("flaky", { q: "good" }),
          ask("flaky", { q: "again" }),
          report(),
        ),
        tools: [flaky, instant("search")],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [look] }],
        orchestrate: parallel(["x"]),
      });
      // asked again from its place in line, a guard sees the same
      const lines = seen.map((line) => JSON.stringify(line));
      const looked = seen.filter((_, at) => lines[at] !== lines[at - 1] && !lines[at]!.includes("report"));
      expect(looked).toEqual([
        ["flaky", []],
        ["search", []],
        ["flaky", []],
        ["flaky", ["good"]],
      ]);
    }));

  it("computes attended() only if it is asked for", () =>
    run(function* () {
      const answers: boolean[] = [];
      const { result } = yield* play({
        model: playing(ask("search", { q: "a" }), ask("search", { q: "a" }), report()),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [
          { beforeDispatch: [{ name: "blind", message: "no", reject: () => noted(answers, true, false) }] },
        ],
        orchestrate: parallel(["x"]),
      });
      // one that never looks at what was read has nothing to be asked again about
      expect(answers).toHaveLength(3);
      expect(result.agents[0]!.toolCallCount).toBe(2);
    }));

  it("declared on a tool gates that tool alone", () =>
    run(function* () {
      class FetchCopy extends FetchPage {
        override readonly name = "fetch_copy";
        override readonly hooks = {};
      }
      const [guarded, free] = [new FetchPage(), new FetchCopy()];
      yield* play({
        model: playing(
          fetchOf("http://a"),
          fetchOf("http://a"),
          ask("fetch_copy", { url: "http://a" }),
          ask("fetch_copy", { url: "http://a" }),
          report(),
        ),
        tools: [guarded, free],
        terminal: reportTool,
        orchestrate: parallel(["read"]),
      });
      expect(guarded.fetched).toEqual(["http://a"]);
      expect(free.fetched).toEqual(["http://a", "http://a"]);
    }));

  it("contributed by a harness sees every call and selects by i.tool", () =>
    run(function* () {
      const seen: string[] = [];
      const noSearch: ToolGuard = {
        name: "no_search",
        message: "Read instead.",
        reject: (i) => {
          seen.push(i.tool);
          return i.tool === "search";
        },
      };
      const [search, read] = [instant("search"), instant("read")];
      const { result } = yield* play({
        model: playing(ask("search", { q: "a" }), ask("read", { q: "a" }), report()),
        tools: [search, read],
        terminal: reportTool,
        hooks: [{ beforeDispatch: [noSearch] }],
        orchestrate: parallel(["x"]),
      });
      expect(new Set(seen)).toEqual(new Set(["search", "read", "report"]));
      expect(search.asked).toEqual([]);
      expect(read.asked).toEqual(["a"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "search", guard: "no_search" }]);
    }));

  it("is nobody's limit: a refused call is not counted and the agent goes on", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(
          fetchOf("http://a"),
          fetchOf("http://a"),
          fetchOf("http://a"),
          fetchOf("http://b"),
          report(),
        ),
        tools: [new FetchPage()],
        terminal: reportTool,
        budget: { maxToolCalls: 2 },
        orchestrate: parallel(["read"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 2 });
      expect(result.agents[0]!.refusals).toHaveLength(2);
    }));
});

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

describe("a transient failure", () => {
  const limitedOnce = (afterMs = 30_000) => {
    const attempts: number[] = [];
    const ids = new Set<string>();
    const tool = instant("search", {
      *execute(args, ctx): Operation<unknown> {
        const signal = yield* useAbortSignal();
        attempts.push(ctx.attempt);
        ids.add(ctx.id);
        yield* call(() => Promise.resolve(signal.aborted));
        if (ctx.attempt === 0) throw new ToolRetryError("rate limited", afterMs);
        return { hits: [args.q] };
      },
    });
    return { tool, attempts, ids };
  };

  it("parks the agent, and the same call runs again after the delay: no turn, no token, no line of context", () =>
    run(function* () {
      const { tool, attempts, ids } = limitedOnce();
      const model = playing(ask("search", { q: "x" }), report());
      const rig = yield* open({
        model,
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(attempts).toEqual([0]);
      expect(rig.handle.inspect()).toMatchObject({ agents: { parked: 1 }, parked: 1, permits: { tools: 0 } });
      expect(model.requests).toHaveLength(1);
      rig.clock.advance(29_999);
      yield* quiet;
      expect(attempts).toEqual([0]);
      rig.clock.advance(1);
      yield* quiet;
      expect(attempts).toEqual([0, 1]);
      expect(ids.size).toBe(1);
      const result = yield* finish(rig);
      expect(result.agents[0]).toMatchObject({ turns: 2, toolCallCount: 1, attendedCount: 1, parks: 1 });
      const messages = model.requests[1]!.messages;
      expect(shown(messages)).toMatchObject([{ type: "json", value: { hits: ["x"] } }]);
      expect(textOf(messages)).not.toContain("rate limited");
      const one = ofType(rig.events, "call:parked")[0]!;
      expect(one).toMatchObject({ reason: "retry", until: one.at + 30_000 });
    }));

  it("settles an honest result once its retries are used up, one by default, and the agent goes on", () =>
    run(function* () {
      let runs = 0;
      const tool = instant("search", {
        execute: () => {
          runs++;
          throw new ToolRetryError("rate limited", 1_000);
        },
      });
      const model = playing(ask("search"), report("could not search"));
      const { result, events } = yield* play({
        model,
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(runs).toBe(2);
      expect(shown(model.requests[1]!.messages)[0]).toMatchObject({
        type: "error-text",
        value: expect.stringMatching(/unavailable.*another source/i),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "returned",
        toolCallCount: 1,
        attendedCount: 0,
        parks: 1,
      });
      expect(ofType(events, "budget:exhausted")).toMatchObject([{ budget: "maxToolRetries", limit: 1 }]);
    }));

  for (const [maxToolRetries, expected] of [
    [0, 1],
    [3, 4],
  ] as const)
    it(`is tried ${expected} times with maxToolRetries ${maxToolRetries}`, () =>
      run(function* () {
        let runs = 0;
        const tool = instant("search", {
          execute: () => {
            runs++;
            throw new ToolRetryError("rate limited", 10);
          },
        });
        yield* play({
          model: playing(ask("search"), report()),
          tools: [tool],
          terminal: reportTool,
          budget: { maxToolRetries },
          orchestrate: parallel(["look"]),
        });
        expect(runs).toBe(expected);
      }));

  it("wrapped in a success is recognised by afterExecute, and the model never sees it", () =>
    run(function* () {
      const seen: ExecutedInput[] = [];
      const provider429: ToolLifecycleHooks = {
        afterExecute: (input) => {
          seen.push(input);
          return (input.result as { status?: number } | undefined)?.status === 429
            ? { type: "retry", afterMs: 5_000 }
            : undefined;
        },
      };
      const tool = instant("search", {
        execute: (_args, { attempt }) => (attempt === 0 ? { status: 429 } : { status: 200, hits: 3 }),
      });
      const model = playing(ask("search"), report());
      const { result } = yield* play({
        model,
        tools: [tool],
        terminal: reportTool,
        hooks: [provider429],
        orchestrate: parallel(["look"]),
      });
      expect(seen.map(({ attempt }) => attempt)).toEqual([0, 1]);
      expect(textOf(model.requests[1]!.messages)).not.toContain("429");
      expect(shown(model.requests[1]!.messages)).toMatchObject([{ value: { status: 200, hits: 3 } }]);
      expect(result.agents[0]).toMatchObject({ parks: 1, turns: 2, toolCallCount: 1 });
    }));

  it("is a failure where afterExecute says so, in its words or the tool's", () =>
    run(function* () {
      const model = playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report());
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [
          {
            afterExecute: ({ call }) =>
              call.args.q === "a" ? { type: "fail", message: "no good" } : { type: "attempt" },
          },
        ],
        orchestrate: parallel(["look"]),
      });
      expect(lastShown(model, "agent/0")).toMatchObject([
        { type: "error-text", value: "no good" },
        { type: "json" },
      ]);
      expect(result.agents[0]).toMatchObject({ attendedCount: 1, toolCallCount: 2 });
    }));

  it("is not parked where afterExecute calls it an attempt: the model reads the error", () =>
    run(function* () {
      const model = playing(ask("search"), report());
      const { result } = yield* play({
        model,
        tools: [
          instant("search", {
            execute: () => {
              throw new ToolRetryError("rate limited", 10);
            },
          }),
        ],
        terminal: reportTool,
        hooks: [{ afterExecute: () => ({ type: "attempt" }) }],
        orchestrate: parallel(["look"]),
      });
      expect(result.agents[0]!.parks).toBe(0);
      expect(lastShown(model, "agent/0")).toMatchObject([{ type: "error-text", value: "rate limited" }]);
    }));

  it("thrown by a task that execute started is still that call's own", () =>
    run(function* () {
      const tool = instant("search", {
        *execute(_args, { attempt }): Operation<unknown> {
          const task = yield* spawn(function* (): Operation<string> {
            if (attempt === 0) throw new ToolRetryError("rate limited", 10);
            return "found";
          });
          return yield* task;
        },
      });
      const model = playing(asks(["search", { q: "a" }], ["other", { q: "b" }]), report());
      const { result } = yield* play({
        model,
        tools: [tool, instant("other")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(lastShown(model, "agent/0")).toMatchObject([{ value: "found" }, { value: { answer: "b" } }]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", parks: 1 });
    }));

  it("a throw must stay that call's own: siblings of the step and other agents go on", () =>
    run(function* () {
      const broken = instant("broken", {
        execute: () => {
          throw new Error("boom");
        },
      });
      const model = playing(asks(["broken"], ["search", { q: "x" }]), report());
      const { result } = yield* play({
        model,
        tools: [broken, instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["a", "b"]),
      });
      for (const agent of result.agents) {
        expect(agent).toMatchObject({ exit: "returned", toolCallCount: 2, attendedCount: 1 });
        expect(lastShown(model, agent.key)).toMatchObject([
          { type: "error-text", value: "boom" },
          { type: "json", value: { answer: "x" } },
        ]);
      }
    }));

  it("leaves nothing behind when the agent is cancelled while it is parked", () =>
    run(function* () {
      const { tool, attempts } = limitedOnce();
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
      });
      expect(yield* rig.handle.cancel("agent/0")).toBe(true);
      yield* quiet;
      expect(leftovers(rig)).toEqual([]);
      expect(attempts).toEqual([0]);
      expect(rig.outcome.result!.agents[0]!.exit).toBe("cancelled");
    }));
});

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

describe("dedup, the commonest guard", () => {
  it("behaves as the predicate it replaces", () =>
    run(function* () {
      const tool = instant("search", { hooks: { beforeDispatch: [dedup("query_dedup", ({ q }) => q)] } });
      const { result } = yield* play({
        model: playing(
          ask("search", { q: "a" }),
          ask("search", { q: " a " }),
          ask("search", { q: "b" }),
          report(),
        ),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["x"]),
      });
      expect(tool.asked).toEqual(["a", "b"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "query_dedup" }]);
    }));
});

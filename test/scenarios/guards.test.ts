import { dedup, type GuardInput, parallel, reportTool, type ToolGuard } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { FetchPage, fetchOf, urlDedup } from "./fetch-page.ts";
import { ask, instant, noted, ofType, play, playing, report, shown } from "./support.ts";

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

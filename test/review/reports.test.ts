import { parallel, reportTool } from "@agentpool/core";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  instant,
  ofType,
  play,
  playing,
  report,
  textOf,
  unanswered,
} from "../scenarios/support.ts";
import { breach, course, judging, pass, reviewsIn, shownTo } from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Find out."]), review: "messages" as const };
const wrong = breach("Nothing that I read says 42. I report that I did not find it.");

describe("a review of a report", () => {
  it("that passes returns it", () =>
    run(function* () {
      const judge = judging(pass());
      const { result, events } = yield* play({
        ...base,
        model: playing(ask("search", { q: "the source" }), report("It is 42.")),
        tools: [instant("search")],
        reviewer: reviewer({ models: judge }),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "It is 42." });
      expect(course(events)).toEqual(["review:started", "review:passed"]);
      expect(reviewsIn(events)[0]).toMatchObject({ subject: "report", report: "It is 42.", turn: 2 });
      expect(shownTo(judge)).toContain("the source");
      expect(shownTo(judge)).toContain("It is 42.");
    }));

  it("that does not pass rewinds the step: the next attempt never sees the report", () =>
    run(function* () {
      const model = playing(ask("search", { q: "x" }), report("It is 42."), report("Not found."));
      const { result, events } = yield* play({
        ...base,
        model,
        tools: [instant("search")],
        reviewer: reviewer({ models: judging(wrong, pass()) }),
      });
      expect(result.agents[0]).toMatchObject({ result: "Not found.", turns: 2, refusals: [] });
      expect(ofType(events, "turn:restarted")).toMatchObject([{ by: "review", moment: "onReturn", turn: 2 }]);
      const shown = textOf(model.requests.at(-1)!.messages);
      expect(shown).toContain("Nothing that I read says 42.");
      expect(shown).not.toContain("It is 42.");
    }));

  it("is given what the agent was told, the rules that apply and its conversation, and says which call it is about", () =>
    run(function* () {
      const judge = judging(pass());
      const { events } = yield* play({
        ...base,
        orchestrate: parallel([{ task: "Find out.", system: "You are the night shift." }]),
        system: "You work for a library.",
        instructions: "Be brief.",
        rules: [{ title: "Sources", content: "Name every source." }],
        model: playing(ask("search", { q: "the source" }), report("It is 42.")),
        tools: [instant("search")],
        reviewer: reviewer({ models: judge }),
      });
      for (const part of [
        "You work for a library.",
        "Be brief.",
        "You are the night shift.",
        "Name every source.",
        "Find out.",
        "the source",
      ])
        expect(shownTo(judge)).toContain(part);
      expect(judge.requests[0]!.request.output).toMatchObject({ type: "object" });
      for (const event of reviewsIn(events))
        expect(event).toMatchObject({
          subject: "report",
          calls: [{ id: "agent/0:2#0", tool: "report", args: { result: "It is 42." } }],
        });
    }));

  it("covers an agent that ends with plain text", () =>
    run(function* () {
      const model = playing({ text: "It is 42." }, { text: "Not found." });
      const { result } = yield* play({
        ...base,
        terminal: undefined,
        model,
        tools: [],
        reviewer: reviewer({ models: judging(wrong, pass()) }),
      });
      expect(result.agents[0]).toMatchObject({ exit: "text", result: "Not found.", turns: 1 });
      expect(textOf(model.requests.at(-1)!.messages)).not.toContain("It is 42.");
    }));

  it("has a budget of its own, beside the one rejection of onReturn and beside the steps'", () =>
    run(function* () {
      let rejected = 0;
      const { result, events } = yield* play({
        ...base,
        review: "all",
        effort: "low",
        model: playing(
          ask("search", { q: "1" }),
          ask("search", { q: "2" }),
          ask("search", { q: "3" }),
          report("a"),
          report("b"),
          report("c"),
          report("d"),
        ),
        tools: [instant("search")],
        hooks: [
          { onReturn: () => (rejected++ === 0 ? { type: "reject", message: "Once more." } : undefined) },
        ],
        reviewer: reviewer({
          models: {
            "review.tools": judging(breach("Other words."), breach("Yet others."), pass()),
            "review.messages": judging(wrong, wrong, pass()),
          },
        }),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "d" });
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "onReturn" }]);
      expect(
        ofType(events, "review:restarted").map(({ subject, restarts }) => `${subject} ${restarts}`),
      ).toEqual(["step 1", "step 2", "report 1", "report 2"]);
    }));

  it("comes after the hooks that cost nothing: a report that they reject is not paid for", () =>
    run(function* () {
      const judge = judging(pass());
      let rejected = 0;
      yield* play({
        ...base,
        model: playing(report("a"), report("b")),
        tools: [],
        hooks: [{ onReturn: () => (rejected++ === 0 ? { type: "reject", message: "No." } : undefined) }],
        reviewer: reviewer({ models: judge }),
      });
      expect(judge.requests).toHaveLength(1);
    }));

  it("that finds a breach when no restart is left does not let it out: the model reads why, and goes on", () =>
    run(function* () {
      const model = playing(report("a"), report("b"), report("c"));
      const { result, events } = yield* play({
        ...base,
        model,
        tools: [],
        reviewer: reviewer({ models: judging(wrong, wrong, pass()), reportRestarts: { medium: 1 } }),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "c", turns: 2 });
      expect(ofType(events, "review:failed")).toMatchObject([{ subject: "report", problem: "exhausted" }]);
      const shown = textOf(model.requests.at(-1)!.messages);
      expect(shown).toContain("The report was not taken");
      expect(unanswered(model.requests.at(-1)!.messages)).toEqual([]);
    }));

  for (const [how, said, problem] of [
    ["malformed", { text: "?" }, "malformed"],
    ["no answer at all", { error: new Error("down") }, "model"],
    ["no answer in time", { wait: 100_000 }, "timed_out"],
  ] as const)
    it(`without a verdict (${how}) does not let it out`, () =>
      run(function* () {
        const { result, events } = yield* play({
          ...base,
          model: playing(report("a"), report("b")),
          tools: [],
          reviewer: reviewer({ models: judging([said, said], pass()) }),
        });
        expect(result.agents[0]).toMatchObject({
          result: "b",
          refusals: [{ tool: "report", guard: "review" }],
        });
        expect(ofType(events, "review:failed")).toMatchObject([{ problem }]);
      }));

  it("of a turn in which other calls have run cannot take those back: the model reads the correction instead", () =>
    run(function* () {
      const search = instant("search");
      const judge = judging(wrong, pass());
      const model = playing(
        asks(["search", { q: "x" }], ["report", { result: "It is 42." }]),
        report("Not found."),
      );
      const { result, events } = yield* play({
        ...base,
        model,
        tools: [search],
        reviewer: reviewer({ models: judge }),
      });
      expect(search.asked).toEqual(["x"]);
      // what they gave is what the report is held against
      expect(shownTo(judge, 0)).toMatch(/by\W+tool\W+tool\W+search\W+result/);
      expect(result.agents[0]).toMatchObject({ result: "Not found.", turns: 2, attendedCount: 1 });
      expect(ofType(events, "turn:restarted")).toEqual([]);
      expect(textOf(model.requests.at(-1)!.messages)).toContain(
        "Go on from this reasoning: Nothing that I read",
      );
      expect(unanswered(model.requests.at(-1)!.messages)).toEqual([]);
    }));

  it("is not given of a forced report: what an agent has found survives its limits", () =>
    run(function* () {
      const judge = judging(wrong);
      const { result } = yield* play({
        ...base,
        model: playing(ask("search", { q: "x" }), report("what I have")),
        tools: [instant("search")],
        budget: { maxTurns: 1 },
        reviewer: reviewer({ models: judge }),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", result: "what I have" });
      expect(judge.requests).toEqual([]);
    }));

  it("may be asked for by a rule, on turns where it matched", () =>
    run(function* () {
      const reports = judging(pass());
      const { events } = yield* play({
        ...base,
        review: false,
        model: playing(ask("search", { q: "x" }), report()),
        tools: [instant("search")],
        rules: [{ title: "Sources", content: "Claim what was read.", review: "messages" }],
        reviewer: reviewer({
          models: {
            "review.rules": judging({ text: '{"applies":["r1"]}' }),
            "review.messages": reports,
            "review.tools": judging(pass()),
          },
        }),
      });
      expect(reports.requests).toHaveLength(1);
      expect(reviewsIn(events).flatMap((event) => ("asked" in event ? event.asked : []))).toMatchObject([
        { by: "rule", title: "Sources" },
        { by: "rule", title: "Sources" },
      ]);
    }));
});

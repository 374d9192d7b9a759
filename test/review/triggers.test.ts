import {
  agentPool,
  ConfigurationError,
  consequentialBy,
  parallel,
  type Rule,
  reportTool,
  type Tool,
} from "@agentpool/core";
import { extractive, scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  finish,
  held,
  instant,
  open,
  play,
  playing,
  report,
  thrownBy,
} from "../scenarios/support.ts";
import { applies, course, judging, pass, reviewsIn, shop } from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Do it."]) };
const asked = (events: Parameters<typeof reviewsIn>[0]) =>
  reviewsIn(events).flatMap((event) =>
    event.type === "review:started" ? [event.asked.map((trigger) => trigger.by).join()] : [],
  );

describe("a review is asked for", () => {
  it("by the agent: every set of calls is reviewed", () =>
    run(function* () {
      const search = instant("search");
      const { events } = yield* play({
        ...base,
        model: playing(
          ask("search", { q: "a" }),
          asks(["search", { q: "b" }], ["search", { q: "c" }]),
          report(),
        ),
        tools: [search],
        review: true,
        reviewer: reviewer({ models: judging(pass()) }),
      });
      expect(asked(events)).toEqual(["agent", "agent"]);
    }));

  it("by a rule, only on turns where it matched", () =>
    run(function* () {
      const search = instant("search");
      const rule: Rule = { title: "Money", content: "Confirm amounts.", when: "money moves", review: true };
      const rules = judging(applies(), applies("r1"), applies());
      const { events } = yield* play({
        ...base,
        model: playing(ask("search", { q: "a" }), ask("search", { q: "b" }), report()),
        tools: [search],
        rules: [rule],
        reviewer: reviewer({ models: { "review.rules": rules, "review.tools": judging(pass()) } }),
      });
      expect(asked(events)).toEqual(["rule"]);
      expect(reviewsIn(events).find(({ type }) => type === "review:started")).toMatchObject({
        turn: 2,
        asked: [{ by: "rule", title: "Money" }],
      });
    }));

  it("by an observation, like by a policy", () =>
    run(function* () {
      const search = instant("search");
      const { events } = yield* play({
        ...base,
        model: playing(ask("search", { q: "a" }), report()),
        tools: [search],
        rules: [{ title: "Anger", content: "The customer is angry.", kind: "observation", review: true }],
        reviewer: reviewer({ models: { "review.rules": judging(applies("r1")), "*": judging(pass()) } }),
      });
      expect(asked(events)).toEqual(["rule"]);
    }));

  it("by a consequential tool: the whole set of calls that includes it", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging(pass());
      const { events } = yield* play({
        ...base,
        model: playing(
          ask("get_order", { order: 1 }),
          asks(["get_order", { order: 1 }], ["cancel_order", { order: 1 }]),
          report(),
        ),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(asked(events)).toEqual(["tool"]);
      const started = reviewsIn(events)[0]!;
      expect("calls" in started && started.calls.map(({ tool }) => tool)).toEqual([
        "get_order",
        "cancel_order",
      ]);
    }));

  it("by a tool that the pool calls consequential, by name, pattern or identity", () =>
    run(function* () {
      for (const named of ["search", "sea*", "local:search"]) {
        const { events } = yield* play({
          ...base,
          model: playing(ask("search", { q: "a" }), ask("other"), report()),
          tools: [instant("search"), instant("other")],
          review: { tools: [named] },
          reviewer: reviewer({ models: judging(pass()) }),
        });
        expect(asked(events)).toEqual(["tool"]);
      }
    }));

  it("by a consequential tool that ends the agent, before it is executed", () =>
    run(function* () {
      const submitted: unknown[] = [];
      const submit: Tool = { ...reportTool, consequential: true, execute: (args) => submitted.push(args) };
      const { events, result } = yield* play({
        ...base,
        terminal: submit,
        model: playing(report("first"), report("second")),
        tools: [],
        reviewer: reviewer({
          models: judging({ text: '{"passed":false,"adjustedReasoning":"Second."}' }, pass()),
        }),
      });
      expect(asked(events)).toEqual(["tool", "tool"]);
      expect(submitted).toMatchObject([{ result: "second" }]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", turns: 1 });
    }));

  it("by a consequential tool that ends the agent: where it is stopped it may only say what it has", () =>
    run(function* () {
      const submitted: unknown[] = [];
      const submit: Tool = { ...reportTool, execute: (args) => submitted.push(args) };
      const search = instant("search");
      for (const consequential of [false, true]) {
        const { result } = yield* play({
          ...base,
          terminal: submit,
          model: scripted(() => [
            ask("search", { q: "a" }),
            ({ request }) => (request.toolChoice === "none" ? { text: "what I have" } : report("submitted")),
          ]),
          tools: [search],
          budget: { maxTurns: 1 },
          review: { tools: consequential ? ["report"] : [] },
          reviewer: reviewer({ models: judging(pass()) }),
        });
        expect(result.agents[0]!.exit).toBe("max_turns");
        expect(submitted).toHaveLength(1); // the first pool's
        if (consequential) expect(result.agents[0]!.result).toBe("what I have");
      }
    }));

  it("by several at once, and by each of them alone: nothing cancels what another asks for", () =>
    run(function* () {
      const rule: Rule = { title: "Care", content: "Be careful.", review: true };
      for (const by of [["agent"], ["rule"], ["tool"], ["agent", "rule", "tool"]]) {
        const { tools } = shop({ cancel: { consequential: by.includes("tool") } });
        const { events } = yield* play({
          ...base,
          model: playing(ask("cancel_order", { order: 1 }), report()),
          tools,
          review: by.includes("agent"),
          rules: [{ ...rule, review: by.includes("rule") }],
          reviewer: reviewer({ models: { "review.rules": judging(applies("r1")), "*": judging(pass()) } }),
        });
        expect(asked(events)).toEqual([by.join()]);
      }
    }));

  it("by nobody: steps are neither reviewed nor put in order", () =>
    run(function* () {
      const judge = judging(pass());
      const search = held("search");
      const rig = yield* open({
        ...base,
        model: playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report()),
        tools: [search, shop().cancel],
        reviewer: reviewer({ models: judge }),
      });
      expect(search.running.map(({ q }) => q)).toEqual(["a", "b"]);
      for (const { succeed } of search.running) succeed();
      yield* finish(rig);
      expect(judge.requests).toEqual([]);
    }));
});

describe("a tool of an MCP server", () => {
  const served = (destructiveHint: boolean | undefined, consequential?: boolean): Tool => ({
    ...instant("write"),
    source: "mcp",
    identity: "mcp:files/write",
    consequential,
    meta: { annotations: destructiveHint === undefined ? null : { destructiveHint } },
  });

  for (const [what, tool, reviewed] of [
    ["that declares itself destructive is consequential", served(true), true],
    ["that declares itself not destructive is not", served(false), false],
    ["that declares nothing is not", served(undefined), false],
    ["is consequential where its server is set to all", served(false, consequentialBy("all")), true],
    ["is not where its server is set to none", served(true, consequentialBy("none")), false],
    [
      "goes by what it declares where its server is set to destructive",
      served(true, consequentialBy("destructive")),
      true,
    ],
  ] as const)
    it(`is reviewed as it declares itself, or as its server is set: ${what}`, () =>
      run(function* () {
        const { events } = yield* play({
          ...base,
          model: playing(ask("write", { q: "x" }), report()),
          tools: [tool],
          reviewer: reviewer({ models: judging(pass()) }),
        });
        expect(asked(events)).toEqual(reviewed ? ["tool"] : []);
      }));
});

describe("at effort min", () => {
  it("no review runs whatever was asked for, the calls go on, and an event says so", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging(pass());
      const { events } = yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        effort: "min",
        review: "all",
        reviewer: reviewer({ models: judge }),
      });
      expect(cancelled).toEqual([1]);
      expect(judge.requests).toEqual([]);
      expect(reviewsIn(events)).toMatchObject([
        {
          type: "review:skipped",
          reason: "effort",
          subject: "step",
          asked: [{ by: "agent" }, { by: "tool" }],
        },
        { type: "review:skipped", reason: "effort", subject: "report", asked: [{ by: "agent" }] },
      ]);
    }));

  it("no model is needed for reviews that will not run", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const { events } = yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        effort: "min",
        reviewer: reviewer(),
      });
      expect(cancelled).toEqual([1]);
      expect(course(events)).toEqual(["review:skipped"]);
    }));

  it("a rule that matches raises the effort, and reviews run again", () =>
    run(function* () {
      const { tools } = shop();
      const { events } = yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        effort: "min",
        rules: [{ title: "Money", content: "Money moves.", kind: "observation", effort: "high" }],
        reviewer: reviewer({
          models: { "review.rules": judging(applies("r1"), applies()), "review.tools": judging(pass()) },
        }),
      });
      expect(course(events)).toEqual(["review:matched", "review:started", "review:passed", "review:matched"]);
      expect(reviewsIn(events)[1]).toMatchObject({ effort: "high" });
    }));
});

describe("a pool that asks for reviews which no model can give", () => {
  const { tools } = shop({ cancel: { consequential: false } });
  const rule: Rule = { title: "Money", content: "Confirm." };
  for (const [what, options, route] of [
    ["every step", { review: true }, "review.tools"],
    ["every report", { review: "messages" }, "review.messages"],
    ["steps with a consequential tool", { tools: shop().tools }, "review.tools"],
    ["a tool by name", { review: { tools: ["get_order"] } }, "review.tools"],
    ["a rule that has to be matched", { rules: [{ ...rule, when: "money moves" }] }, "review.rules"],
  ] as const)
    for (const [which, models] of [
      ["no reviewer", undefined],
      ["a reviewer without a model for it", {}],
      ["the embedded engine alone", { "*": extractive() }],
    ] as const)
      it(`is a configuration error that names the missing route: ${what}, ${which}`, () =>
        run(function* () {
          const model = playing(report());
          const error = yield* thrownBy(
            agentPool({
              ...base,
              model,
              tools,
              ...options,
              ...(models ? { reviewer: reviewer({ models }) } : {}),
            }),
          );
          expect(error).toBeInstanceOf(ConfigurationError);
          expect(String(error)).toContain(route);
          expect(model.requests).toEqual([]);
        }));

  it("is none where the consequential tool may never run", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const { result } = yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        deny: ["cancel_order"],
      });
      expect(cancelled).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
    }));

  it("names every route that a rule needs: one to match it, one to review", () =>
    run(function* () {
      const error = yield* thrownBy(
        agentPool({
          ...base,
          model: playing(report()),
          tools,
          rules: [{ ...rule, review: true }],
          reviewer: reviewer({ models: { "review.rules": judging(applies()) } }),
        }),
      );
      expect(String(error)).toMatch(/rule "Money".*route review\.tools/);
    }));

  it("names the route of reports too, where a rule asks for their review", () =>
    run(function* () {
      for (const [review, missing] of [
        ["messages", "review.messages"],
        ["all", "review.messages"],
      ] as const) {
        const error = yield* thrownBy(
          agentPool({
            ...base,
            model: playing(report()),
            tools,
            rules: [{ ...rule, review }],
            reviewer: reviewer({
              models: { "review.rules": judging(applies()), "review.tools": judging(pass()) },
            }),
          }),
        );
        expect(String(error)).toContain(`rule "Money" asks for it`);
        expect(String(error)).toContain(`route ${missing}`);
      }
    }));

  for (const [what, options, message] of [
    [
      "instructions that are no text",
      { instructions: ["x"] },
      /instructions: found object; accepted is a text/,
    ],
    [
      "a scope there is not",
      { review: "messsages" },
      /review: found "messsages"; accepted: true, false, messages, all/,
    ],
    ["an effort there is not", { effort: "huge" }, /effort: found "huge"; accepted: min, low/],
    ["a rule without content", { rules: [{ title: "x" }] }, /rules\[0\]\.content: found nothing/],
    ["a kind of rule there is not", { rules: [{ ...rule, kind: "law" }] }, /rules\[0\]\.kind: found "law"/],
    [
      "a rule about a tool there is not",
      { rules: [{ ...rule, tools: ["get_ordr"] }] },
      /did you mean "get_order"/,
    ],
    [
      "a consequential tool there is not",
      { review: { tools: ["get_ordr"] } },
      /review\.tools: .*did you mean "get_order"/,
    ],
    ["a reviewer that is none", { review: true, reviewer: {} }, /reviewer: accepted is what reviewer\(\)/],
  ] as const)
    it(`says what is wrong with ${what}`, () =>
      run(function* () {
        const error = yield* thrownBy(
          agentPool({
            ...base,
            model: playing(report()),
            tools,
            reviewer: reviewer({ models: judging(pass()) }),
            ...(options as object),
          }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(message);
      }));
});

import { ConfigurationError, type Model } from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import type { FallbackEvent } from "../fallback/chain.ts";
import { resolveModel } from "../providers/resolve-model.ts";
import { scripted } from "../scripted/scripted.ts";
import { describeRoutes } from "./describe-routes.ts";
import type { Effort } from "./pattern.ts";
import { type RoutesConfig, routes } from "./routes.ts";

const named = (id: string): Model => scripted(() => [{ text: "Yes." }], { id });

/** What each of `asked` gets, under a configuration whose models are only names. */
const given = (config: RoutesConfig, effort: Effort, ...asked: string[]) => {
  const models = routes(config, { effort, model: "otherwise", resolve: named });
  return asked.map((name) => models.modelFor(name).id);
};

describe("a route", () => {
  it("gives its model to what it names, and the model of all else to all else", () => {
    expect(given({ research: "a" }, "medium", "research", "plan", "research.deep")).toEqual([
      "a",
      "otherwise",
      "otherwise",
    ]);
    expect(given({ "*": "a" }, "medium", "research", "review.tools", "*")).toEqual(["a", "a", "a"]);
  });

  it("with a star stands for one part, and at its end for one or more", () => {
    const config = { "review.*": "a", "*.tools.last": "b" };
    expect(given(config, "medium", "review", "review.tools", "review.x.y", "any.tools.last")).toEqual([
      "otherwise",
      "a",
      "a",
      "b",
    ]);
  });

  it("wins over a less specific one: by its names, then by its parts, then by its conditions", () => {
    const config = {
      "*": "any",
      "*[effort>=low]": "any, with effort",
      "review.*": "reviews",
      "review.*[effort>=high]": "reviews, with effort",
      "review.tools": "tools",
      "*.*": "any of two parts",
    };
    expect(given(config, "high", "plan", "review.tools", "review.rules", "some.thing")).toEqual([
      "any, with effort",
      "tools",
      "reviews, with effort",
      "any of two parts",
    ]);
    expect(given(config, "min", "plan", "review.rules")).toEqual(["any", "reviews"]);
  });

  it.each([
    ["[effort>=high]", ["high", "max"]],
    ["[effort>high]", ["max"]],
    ["[effort<=low]", ["min", "low"]],
    ["[effort<low]", ["min"]],
    ["[effort=medium]", ["medium"]],
    ["[effort == medium]", ["medium"]],
    ["[effort!=medium]", ["min", "low", "high", "max"]],
    ["[effort>=low, effort<high]", ["low", "medium"]],
    ["[effort>=low][effort<high]", ["low", "medium"]],
  ] as const)("with %s holds at %s", (condition, efforts) => {
    const at = (["min", "low", "medium", "high", "max"] as const).filter(
      (effort) => given({ [`plan${condition}`]: "a" }, effort, "plan")[0] === "a",
    );
    expect(at).toEqual(efforts);
  });

  it("that ties with another is refused, naming both, before anything runs", () => {
    const tie = { "review.*": "a", "*.tools": "b" };
    expect(() => routes(tie, { resolve: named })).toThrow(ConfigurationError);
    expect(() => routes(tie, { resolve: named })).toThrow(/"review\.\*" and "\*\.tools" match review\.tools/);
    expect(given({ ...tie, "review.tools": "c" }, "medium", "review.tools")).toEqual(["c"]);
    const overlapping = { "plan[effort>=low]": "a", "plan[effort>=high]": "b" };
    expect(given(overlapping, "medium", "plan")).toEqual(["a"]);
    expect(() => routes(overlapping, { effort: "max", resolve: named })).toThrow(/match plan equally well/);
  });

  it("that ties only for what nobody is known to ask is refused when it is asked", () => {
    const models = routes({ "a.*": "x", "*.b": "y" }, { resolve: named });
    expect(models.modelFor("a.c").id).toBe("x");
    expect(() => models.modelFor("a.b")).toThrow(/equally well/);
  });

  it.each([
    "",
    "a..b",
    "a b",
    "plan[effort>=huge]",
    "plan[tokens>3]",
    "plan[",
    "[effort>=low]",
    "*x",
    "__proto__[",
  ])("is refused where it makes no sense: %s", (key) => {
    expect(() => routes({ [key]: "a" }, { resolve: named })).toThrow(/is no route; a route is/);
  });

  it("is not found on an object's prototype", () => {
    expect(given({ "*": "a" }, "medium", "constructor", "__proto__")).toEqual(["a", "a"]);
    expect(given({}, "medium", "constructor")).toEqual(["otherwise"]);
  });
});

describe("what a route names", () => {
  it("is made once, with its settings", () => {
    const made: unknown[] = [];
    const models = routes(
      { plan: { model: "a", temperature: 0, reasoning: "low", maxTokens: 5 }, research: "b" },
      {
        resolve: (name, settings) => {
          made.push([name, settings]);
          return named(name);
        },
      },
    );
    expect(models.modelFor("plan")).toBe(models.modelFor("plan"));
    models.modelFor("research");
    expect(made).toEqual([
      ["a", { temperature: 0, reasoning: "low", maxTokens: 5 }],
      ["b", {}],
    ]);
  });

  it("may be a list, whose next is used when one is down", () =>
    run(function* () {
      const events: FallbackEvent[] = [];
      const models = routes(
        { plan: ["anthropic/claude-haiku-4-5", "extractive"] },
        {
          resolve: (name, settings) => resolveModel(name, { ...settings, env: {} }),
          onEvent: (event) => events.push(event),
        },
      );
      yield* models.modelFor("plan").open({ system: "", tools: [] });
      expect(events).toMatchObject([
        { type: "model:fallback", from: "anthropic/claude-haiku-4-5", to: "extractive" },
      ]);
      expect(events[0]!.reason).toContain("ANTHROPIC_API_KEY");
    }));

  it("is an error where no model of a list has its key, and where a name is wrong", () => {
    const resolve = (name: string) => resolveModel(name, { env: {} });
    const models = routes(
      {
        plan: ["anthropic/claude-haiku-4-5", "openai/gpt-5"],
        research: ["extractiv", "extractive"],
        synthesis: [],
      },
      { resolve },
    );
    expect(() => models.modelFor("plan")).toThrow(/ANTHROPIC_API_KEY/);
    expect(() => models.modelFor("research")).toThrow(/did you mean "extractive"/);
    expect(() => models.modelFor("synthesis")).toThrow(/"synthesis" got an empty list/);
  });

  it("is described for every route a run asks for, without being made", () => {
    const models = routes(
      { "review.*": ["a", { model: "b", temperature: 0 }], plan: "c" },
      {
        model: "d",
        resolve: () => {
          throw new Error("made");
        },
      },
    );
    expect(
      describeRoutes(models, ["mine"]).map(({ asked, route, targets }) => [asked, route, targets]),
    ).toEqual([
      ["plan", "plan", [{ model: "c" }]],
      ["research", undefined, [{ model: "d" }]],
      ["synthesis", undefined, [{ model: "d" }]],
      ...["review.tools", "review.rules", "review.messages"].map((asked) => [
        asked,
        "review.*",
        [{ model: "a" }, { model: "b", temperature: 0 }],
      ]),
      ["mine", undefined, [{ model: "d" }]],
    ]);
  });
});

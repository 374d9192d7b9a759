import { expect, it } from "vitest";
import { folderWith } from "./folder-with.testing.ts";
import { loadHarness } from "./load-harness.ts";
import { modelsOf } from "./models.ts";
import { routeFor } from "./routes.ts";

const harness = (text: string) => loadHarness({ cwd: folderWith({ "harness.yml": text }) });

it("gives the most specific route that matches, else the model", () => {
  const routed = harness(
    [
      "model: a/model",
      "models:",
      "  review.*: b/reviews",
      "  review.tools: { model: c/tools, temperature: 0 }",
      "  research: [d/only]",
    ].join("\n"),
  );
  const named = (asked: string) => routeFor(asked, routed).model;
  expect(["*", "plan", "research", "review.rules", "review.tools"].map(named)).toEqual([
    "a/model",
    "a/model",
    "d/only",
    "b/reviews",
    "c/tools",
  ]);
  expect(routeFor("review.tools", routed)).toEqual({
    model: "c/tools",
    temperature: 0,
    place: ["models", "review.tools"],
  });
  expect(routeFor("plan", harness("models: { '*': e/all }")).model).toBe("e/all");
});

it("makes one model for what has one route", () => {
  const modelOf = modelsOf(harness("models: { plan: extractive }"));
  expect(modelOf("research")).toBe(modelOf("synthesis"));
  expect(modelOf("plan")).not.toBe(modelOf("research"));
});

it("names the place of a model that is not known, and of a list that cannot be used yet", () => {
  expect(() => modelsOf(harness("model: extractiv"))("*")).toThrow(
    'harness.yml:1:8: model: "extractiv" is not known; did you mean "extractive"?',
  );
  expect(() => modelsOf(harness("models:\n  plan: [a/b, c/d]"))("plan")).toThrow(
    "harness.yml:2:3: models.plan asks for a list of models",
  );
});

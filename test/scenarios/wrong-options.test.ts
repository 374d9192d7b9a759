import { type AgentPoolOptions, agentPool, chain, fanout, parallel } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import { expect, it } from "vitest";

/** What a pool of options that no type allows fails with. */
async function failureOf(options: Readonly<Record<string, unknown>>): Promise<string> {
  const model = scripted(() => [{ text: "done" }]);
  const given = { model, orchestrate: parallel([]), ...options } as unknown as AgentPoolOptions;
  return await run(() => agentPool(given)).then(
    () => "nothing",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const toolOf = (more: object) => ({
  name: "find",
  description: "Finds.",
  parameters: { type: "object", properties: {} },
  execute: () => "found",
  ...more,
});

const letters = "why?" as never;
const ownError = async () => {
  throw new Error("its own");
};

it.each([
  ["a model by its name", { model: "extractive" }, 'model: found "extractive"; accepted is a model,'],
  ["null as a model", { model: null }, "model: found null;"],
  [
    "a text as a list of tasks",
    { orchestrate: parallel(letters) },
    'parallel: found "why?"; accepted is a list',
  ],
  ["a text as a chain of tasks", { orchestrate: chain(letters) }, 'chain: found "why?"; accepted is a list'],
  [
    "a text to fan out to",
    { orchestrate: fanout("a", letters) },
    'parallel: found "why?"; accepted is a list',
  ],
  [
    "an async orchestrator",
    { orchestrate: ownError },
    "orchestrate: found an async function; accepted is a generator",
  ],
  ["a plain orchestrator", { orchestrate: () => undefined }, "orchestrate: found a plain function;"],
  [
    "a misspelt option",
    { bugdet: { maxTurns: 3 } },
    "bugdet: a pool takes no such option; did you mean budget?",
  ],
  [
    "a tool whose name has spaces",
    { tools: [toolOf({ name: "find it" })] },
    'tools[0].name: found "find it"; accepted are letters',
  ],
  [
    "a tool without a description",
    { tools: [toolOf({ description: undefined })] },
    'tools[0] "find": needs a description',
  ],
])("%s is told as what it is", async (_, options, message) => {
  expect(await failureOf(options)).toContain(`ConfigurationError: ${message}`);
});

it("an option that is none and is called like none that is missing does no harm", async () => {
  expect(await failureOf({ budgets: 3, budget: { maxTurns: 3 }, colour: "red" })).toBe("nothing");
});

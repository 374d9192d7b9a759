import assert from "node:assert/strict";
import { test } from "node:test";
import { agentPool } from "@agentpool/core";
import type { ProgramContext } from "@agentpool/harness";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import harness from "./harness.ts";

test("a report needs evidence, and a draft is none", async () => {
  // A model that says what is written here, turn by turn.
  const model = scripted(() => [
    { calls: [{ tool: "report", args: { result: "Five times, I guess." } }] },
    { calls: [{ tool: "read", args: { path: "draft-retries.md" } }] },
    { calls: [{ tool: "read", args: { path: "retries.md" } }] },
    { calls: [{ tool: "report", args: { result: "Once." } }] },
  ]);
  const { tools = [], hooks } = harness;
  const context: ProgramContext = {
    tools,
    pool: (options) => agentPool({ model, tools, hooks, ...options }),
    modelFor: () => model,
    research: () => assert.fail("not used here"),
  };
  assert.equal(await run(() => harness.run("How often is a failed call run again?", context)), "Once.");
  const read = JSON.stringify(model.requests.at(-1)?.messages);
  for (const text of ["Read a page before", "This page is a draft", "run again once"])
    assert.ok(read.includes(text));
});

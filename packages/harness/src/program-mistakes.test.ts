import { join } from "node:path";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { folderWith } from "./folder-with.testing.ts";
import { loadHarness } from "./load-harness.ts";
import { runHarness } from "./run-harness.ts";

/** What a run of this program, as a module exports it by default, fails with. */
async function failureOf(program: string): Promise<Error> {
  const cwd = folderWith({
    "harness.yml": "program: ./p.mjs\nstore: none\n",
    "p.mjs": `export default ${program};`,
  });
  const harness = loadHarness({ cwd });
  try {
    const outcome = await run(() => runHarness(harness, { question: "why?", run: "r" }));
    throw new Error(`it gave ${JSON.stringify(outcome)}`);
  } catch (error) {
    return Object.assign(error as Error, {
      message: (error as Error).message.replaceAll(join(cwd, "/"), ""),
    });
  }
}

const operation = "{ *[Symbol.iterator]() { return 3; } }";

describe("a mistake in a program", () => {
  it.each([
    [
      "{ async run() { throw new Error('mine'); } }",
      "run of the program is an async function, and takes a generator function: *run(question, { pool })",
    ],
    ["{ run: () => 'answer' }", "run of the program is a plain function, and takes a generator function"],
    ["{ run: () => ['answer'] }", "run of the program is a plain function, and takes a generator function"],
    [`{ *run() { return ${operation}; } }`, "returned an operation that nobody ran: return yield* …"],
    [
      "{ *run() { return 3n; } }",
      "what run of the program returned is no JSON: Do not know how to serialize a BigInt",
    ],
    [
      "{ *run() { const a = {}; a.a = a; return a; } }",
      "what run of the program returned is no JSON: Converting circular structure",
    ],
  ])("is told as what it is, and how it is done: %s", async (program, message) => {
    expect((await failureOf(program)).message).toContain(message);
  });

  it.each([
    [
      "{ tool: [], *run() {} }",
      'p.mjs exports a harness with "tool" (did you mean tools?); it takes `export default defineHarness(',
    ],
    ["{ Hooks: [], *run() {} }", 'exports a harness with "Hooks" (did you mean hooks?)'],
    ["{ tools: [undefined], *run() {} }", "exports a harness whose tools[0] is undefined"],
    ["{ hooks: [{}, () => {}], *run() {} }", "exports a harness whose hooks[1] is function"],
    [
      "{ hooks: [{ beforeDispatch: () => {} }], *run() {} }",
      "has a beforeDispatch at hooks[0] that is a function and no list of guards",
    ],
    [
      "{ tools: [{ hooks: [{ beforeDispatch: {} }] }], *run() {} }",
      "has a beforeDispatch at tools[0] that is an object and no list of guards",
    ],
  ])("is found before anything runs: %s", async (program, message) => {
    const failure = await failureOf(program);
    expect(failure.message).toContain("harness.yml:1:10: program ");
    expect(failure.message).toContain(message);
  });

  it("is none where a module has keys of its own", async () => {
    expect((await failureOf("{ *run() { return 'answer'; }, title: 'x', on: 3, tail: 4 }")).message).toBe(
      'it gave {"type":"value","value":"answer"}',
    );
  });
});

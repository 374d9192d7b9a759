import { describe, expect, it } from "vitest";
import { folderWith, pool } from "./pool.ts";

describe("a program", () => {
  it("in TypeScript answers with text, with harness.yml's guards at hand", async () => {
    const cwd = folderWith({
      "harness.yml": "program: src/harness.ts\ndefaults: { guards: { once_only: { scope: cohort } } }\n",
      "src/words.ts": "export const shout = (text: string): string => text.toUpperCase();\n",
      "src/harness.ts": `
        import { dedup, parallel } from "@agentpool/core";
        import { config, defineHarness } from "@agentpool/harness";
        import { scripted } from "@agentpool/models";
        import { shout } from "./words.ts";
        const look = {
          name: "look", description: "Looks.", parameters: { type: "object", properties: { at: { type: "string" } } },
          hooks: { beforeDispatch: [dedup("once_only", ({ at }) => at, { message: "It was looked at." })] },
          execute: ({ at }: { at: string }) => at,
        };
        export default defineHarness({
          tools: [look],
          *run(question, { pool }) {
            const model = scripted(() => [{ calls: [{ tool: "look", args: { at: "x" } }] }, { text: "seen" }]);
            const { totals } = yield* pool({ model, guards: config().defaults.guards, orchestrate: parallel(["a", "b"]) });
            return shout(question) + " " + JSON.stringify(config().defaults.guards) + " " + totals.toolCalls;
          },
        });`,
    });
    const { code, stdout, stderr } = await pool(["run", "hello"], { cwd });
    expect(stderr).toContain("look refused by once_only: It was looked at.");
    expect(stdout).toBe('HELLO {"once_only":{"scope":"cohort"}} 1\n');
    expect(code).toBe(0);
  });

  const broken = (program: string, yml = "program: ./p.ts\n") =>
    folderWith({ "harness.yml": yml, "p.ts": program });
  const head = 'import { defineHarness } from "@agentpool/harness";\n';
  it.each([
    ["is missing", folderWith, "", "program got"],
    ["does not export a harness", broken, "export const x = 1;", "has no default export"],
    ["does not parse", broken, "export default {{{", "could not be loaded"],
    ["cannot be imported", broken, 'import "nowhere-at-all";', "nowhere-at-all"],
  ] as const)("that %s is said in words, with exit code 2", async (_, make, program, message) => {
    const cwd = make === folderWith ? folderWith({ "harness.yml": "program: ./none.ts\n" }) : broken(program);
    const { code, stderr } = await pool(["run", "why?"], { cwd });
    expect(stderr).toContain("harness.yml:1:10: program");
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });

  it("whose guard is misspelt in harness.yml is told the nearest", async () => {
    const guard = '{ name: "no_secrets", reject: () => false, message: "m" }';
    const cwd = broken(
      `${head}export default defineHarness({ hooks: [{ beforeDispatch: [${guard}] }], *run() {} });`,
      "program: ./p.ts\ndefaults: { guards: { no_secret: false } }\n",
    );
    const { code, stderr } = await pool(["run", "why?"], { cwd });
    expect(stderr).toContain(
      "harness.yml:2:23: defaults.guards.no_secret is not a guard of this harness; did you mean no_secrets?",
    );
    expect(code).toBe(2);
  });

  it("whose guard has a misspelt tool is told the nearest, once for all its pools", async () => {
    const guard = '{ name: "no_secrets", tools: ["serch"], reject: () => false, message: "m" }';
    const cwd = broken(
      `import { parallel } from "@agentpool/core";
       import { scripted } from "@agentpool/models";
       ${head}
       const search = { name: "search", description: "s", parameters: { type: "object" }, execute: () => "s" };
       export default defineHarness({
         tools: [search],
         hooks: [{ beforeDispatch: [${guard}] }],
         *run(_, { pool }) {
           const model = scripted(() => [{ text: "done" }]);
           yield* pool({ model, orchestrate: parallel(["x"]) });
           yield* pool({ model, key: "other", orchestrate: parallel(["x"]) });
         },
       });`,
    );
    const { code, stderr } = await pool(["run", "why?"], { cwd });
    expect(stderr.split("guard no_secrets has serch in its tools").length).toBe(2);
    expect(stderr).toContain("which no tool here is called; did you mean search?");
    expect(code).toBe(0);
  });

  it("may give a pool hooks and denies of its own: the program's and harness.yml's hold beside them", async () => {
    const guard = (name: string) =>
      `{ beforeDispatch: [{ name: "${name}", tools: ["${name}"], reject: () => true, message: "m" }] }`;
    const cwd = broken(
      `import { parallel } from "@agentpool/core";
       import { scripted } from "@agentpool/models";
       ${head}
       const tool = (name: string) => ({ name, description: name, parameters: { type: "object" }, execute: () => name });
       export default defineHarness({
         tools: ["a", "b", "c", "d"].map(tool),
         hooks: [${guard("a")}],
         *run(_, { pool }) {
           const model = scripted(() => [{ calls: ["a", "b", "c", "d"].map((tool) => ({ tool })) }, { text: "done" }]);
           const { agents } = yield* pool({ model, hooks: [${guard("b")}], deny: ["d"], orchestrate: parallel(["x"]) });
           return agents[0]!.refusals.map(({ tool, guard }) => tool + " " + guard).join(", ");
         },
       });`,
      "program: ./p.ts\npolicy: { deny: [c] }\n",
    );
    const { code, stdout } = await pool(["run", "why?"], { cwd });
    expect(stdout).toBe("a a, b b, c deny, d deny\n");
    expect(code).toBe(0);
  });

  it("gives a pool the harness's tools and one of its own beside them", async () => {
    const cwd = broken(
      `import { parallel } from "@agentpool/core";
       import { scripted } from "@agentpool/models";
       ${head}
       const tool = (name: string) => ({ name, description: name, parameters: { type: "object" }, execute: () => name });
       export default defineHarness({
         tools: [tool("a")],
         *run(_, { pool, tools }) {
           const model = scripted(() => [{ calls: [{ tool: "a" }, { tool: "b" }] }, { text: "done" }]);
           const { totals } = yield* pool({ model, tools: [...tools, tool("b")], orchestrate: parallel(["x"]) });
           return tools.map(({ name }) => name).join() + " " + totals.toolCalls;
         },
       });`,
    );
    const { code, stdout } = await pool(["run", "why?"], { cwd });
    expect(stdout).toBe("a 2\n");
    expect(code).toBe(0);
  });

  it("that throws fails the run, in words", async () => {
    const cwd = broken(
      `${head}export default defineHarness({ *run() { throw new Error("the well is dry"); } });`,
    );
    const { code, stdout, stderr } = await pool(["run", "--json", "why?"], { cwd });
    expect(stderr).toContain("The run failed: the well is dry");
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "result",
      status: "failed",
      error: "The run failed: the well is dry",
    });
    expect(code).toBe(1);
  });

  it("that leaves a promise or a callback behind which fails, fails the run in words; what it had open is closed", async () => {
    for (const leave of [
      'Promise.reject(new Error("left behind"))',
      'setTimeout(() => { throw new Error("left behind"); })',
    ]) {
      const cwd = broken(
        `${head}import { suspend } from "effection";
        export default defineHarness({ *run() { try { ${leave}; yield* suspend(); } finally { console.error("closed"); } } });`,
      );
      const { code, stderr } = await pool(["run", "why?"], { cwd });
      expect(stderr).toContain("closed\n");
      expect(stderr).toContain("The run failed: something that nobody waited for failed: left behind");
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(code).toBe(1);
    }
  });
});

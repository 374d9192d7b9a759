import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPostgres, startPostgres } from "../../journal/test/postgres.ts";
import { call } from "./in-process.ts";
import { folderWith, start } from "./pool.ts";

const PASSWORD = "hunter2-of-ada";

/** A job in which a person is asked about a letter. */
const letters = {
  "harness.yml": "program: ./letters.ts\npolicy: { requireApproval: [send] }\n",
  "letters.ts": `
    import { defineTool, parallel } from "@agentpool/core";
    import { defineHarness } from "@agentpool/harness";
    import { scripted } from "@agentpool/models";
    const send = defineTool({ name: "send", description: "Sends.", parameters: { type: "object" }, execute: () => "sent" });
    const model = scripted(() => [{ calls: [{ tool: "send", args: {} }] }, { text: "done" }]);
    export default defineHarness({
      tools: [send],
      *run(question, { pool }) { return (yield* pool({ model, orchestrate: parallel([question]) })).agents[0].result; },
    });`,
};

describe("the password of a store's URL is printed nowhere", () => {
  it.each([
    ["a server that does not answer", ["runs"], "postgres://ada:…@127.0.0.1:1/runs"],
    ["a value of the configuration", ["config"], "postgres://ada:…@127.0.0.1:1/runs"],
  ])("of %s", async (_, [command], shown) => {
    const url = `postgres://ada:${PASSWORD}@127.0.0.1:1/runs`;
    const cwd = folderWith({});
    for (const told of [
      await call([command!, "--store", url], { cwd }),
      await call([command!], { cwd, env: { POOL_STORE: url } }),
    ]) {
      expect(told.stdout + told.stderr).toContain(shown);
      expect(told.stdout + told.stderr).not.toContain(PASSWORD);
    }
  });

  it("of a URL that is none", async () => {
    const cwd = folderWith({ "harness.yml": `store: mysql://ada:${PASSWORD}@db/runs\n` });
    const told = await call(["runs"], { cwd });
    expect([told.code, told.stderr]).toEqual([2, expect.stringContaining("mysql://ada:…@db/runs")]);
    expect(told.stderr).not.toContain(PASSWORD);
  });
});

describe.skipIf(!hasPostgres)("a run in PostgreSQL (apt-get install postgresql)", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());

  it("says how to go on without the password, which is not on record either; POOL_STORE finds it", async () => {
    const url = server.url.replace("pool@", `pool:${PASSWORD}@`);
    const shown = server.url.replace("pool@", "pool:…@");
    const cwd = folderWith(letters);
    const waiting = await call(["run", "--store", url, "ada"], { cwd });
    expect(waiting.code).toBe(3);
    const hint = /^ {2}(pool resume \S+)$/m.exec(waiting.stderr);
    expect(hint).not.toBeNull();
    expect(waiting.stderr).toContain(`have POOL_STORE hold the URL of ${shown}`);
    const env = { POOL_STORE: url };
    const shownRun = await call(["show", "latest", "--store", url], { cwd });
    const exported = await call(["export", "latest"], { cwd, env });
    expect(JSON.parse(exported.stdout).run.settings.config.store).toBe(shown);
    const [open] = JSON.parse((await call(["approvals", "--json"], { cwd, env })).stdout);
    const approved = await call(["approve", open.id, "--store", url], { cwd });
    expect(approved.code).toBe(0);
    const resumed = await call(hint![1]!.split(" ").slice(1), { cwd, env });
    expect([resumed.code, resumed.stdout]).toEqual([0, "done\n"]);
    for (const told of [waiting, shownRun, exported, approved, resumed])
      expect(told.stdout + told.stderr).not.toContain(PASSWORD);
    const stopped = start(["run", "--plain", "--wait", "--store", url, "grace"], { cwd });
    await stopped.saw("waits for a person");
    stopped.process.kill("SIGTERM");
    const { stdout, stderr } = await stopped.ended;
    expect(stderr).toMatch(/pool resume \S+$/m);
    expect(stdout + stderr).not.toContain(PASSWORD);
  }, 30_000);
});

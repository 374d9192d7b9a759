import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Operation, run, until } from "effection";
import { describe, expect, it, vi } from "vitest";
import { call } from "../../packages/cli/test/in-process.ts";
import { folderWith, isRunning, pool, start } from "../../packages/cli/test/pool.ts";
import { chatEvents, streamed, useWire } from "../../packages/models/src/providers/wire.testing.ts";

const serverNamed = (name: string) =>
  fileURLToPath(new URL(`../../packages/tools/test/mcp/${name}.mjs`, import.meta.url));
const [shop, library, hostile] = ["shop-program", "library-program", "hostile-program"].map(serverNamed);

const say = (value: object) => streamed(chatEvents({ text: JSON.stringify(value), finish: "stop" }));
const calls = (tool: string, args: object) =>
  streamed(chatEvents({ calls: [{ id: tool, tool, input: JSON.stringify(args) }], finish: "tool_calls" }));
const passed = say({ passed: true, todo: null, adjustedReasoning: null });
const breach = say({ passed: false, todo: null, adjustedReasoning: "It has shipped. I only report it." });

type Reply = ReturnType<typeof say>;
type Called = readonly [tool: string, args: object];
const report: Called = ["report", { result: "done" }];

const program = `
  import { parallel, reportTool } from "@agentpool/core";
  import { defineHarness } from "@agentpool/harness";
  export default defineHarness({
    *run(question, { pool }) {
      const { agents } = yield* pool({ system: "You work for a shop.", terminal: reportTool, orchestrate: parallel([question]) });
      return agents[0].result;
    },
  });`;

interface Shop {
  /** What the model calls, turn by turn. */
  readonly calls: readonly Called[];
  readonly verdict?: Reply;
  /** More of the server's settings. */
  readonly server?: string;
  readonly rest?: string;
}

/** A folder whose harness has the shop's server, with a model that is agent and judge. */
function* useShop({ calls: turns, verdict = passed, server = "", rest = "" }: Shop) {
  let turn = 0;
  const wire = yield* useWire(({ body }) =>
    body.includes("You review the work") ? verdict : calls(...(turns[turn++] ?? report)),
  );
  const cwd = folderWith({
    "p.ts": program,
    "harness.yml": `program: ./p.ts
model: openai-compatible/served
providers: { openai-compatible: { baseURL: "${wire.url}/v1" } }
tools:
  mcp:
    servers:
      shop:
        command: node
        args: ["${shop}"]
        env: { SHOP_LOG: "\${SHOP_LOG}", TOKEN: "not for the record" }
${server}
${rest}`,
  });
  const log = join(cwd, "shop.log");
  return {
    cwd,
    wire,
    env: { SHOP_LOG: log },
    /** What the server has done. */
    done: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    *runs(
      ...args: string[]
    ): Operation<{ code: number | null; stdout: string; stderr: string; events: Event[] }> {
      const ended = yield* until(pool(args, { cwd, env: { SHOP_LOG: log } }));
      const lines = args[0] === "run" && args[1] === "--json" ? ended.stdout.trim().split("\n") : [];
      return { ...ended, events: lines.map((line) => JSON.parse(line)) };
    },
  };
}

type Event = { readonly type: string; readonly [key: string]: unknown };
const reviewed = (events: readonly Event[]) =>
  events.flatMap(({ type, asked }) => (type === "review:started" ? [asked] : []));

describe("a harness with an MCP server", () => {
  it("has steps reviewed that call a tool which declares itself destructive, and no others", () =>
    run(function* () {
      const { runs, done } = yield* useShop({
        calls: [
          ["shop__note", { text: "a" }],
          ["shop__cancel_order", { order: 7 }],
        ],
        verdict: breach,
      });
      const { code, events } = yield* runs("run", "--json", "Cancel order 7.");
      expect(code).toBe(0);
      expect(reviewed(events)).toEqual([[{ by: "tool", tool: "shop__cancel_order", call: "agent/0:2#0" }]]);
      expect(done()).toEqual(["note a"]);
    }));

  it("has none reviewed for its tools' sake where the server is set to none", () =>
    run(function* () {
      const { runs, done } = yield* useShop({
        calls: [["shop__cancel_order", { order: 7 }]],
        verdict: breach,
        server: "        consequential: none",
      });
      const { events } = yield* runs("run", "--json", "Cancel order 7.");
      expect(reviewed(events)).toEqual([]);
      expect(done()).toEqual(["cancel_order 7"]);
    }));

  it("has all of them reviewed where it is set to all", () =>
    run(function* () {
      const { runs, done } = yield* useShop({
        calls: [["shop__note", { text: "a" }]],
        server: "        consequential: all",
      });
      const { events } = yield* runs("run", "--json", "Note it.");
      expect(reviewed(events)).toEqual([[{ by: "tool", tool: "shop__note", call: "agent/0:1#0" }]]);
      expect(done()).toEqual(["note a"]);
    }));

  it("does not begin where no model can give the review that its tools ask for: the error names the route and the tool", () =>
    run(function* () {
      const { runs, wire } = yield* useShop({ calls: [], rest: 'models: { "review.*": extractive }' });
      const { code, stderr, stdout } = yield* runs("run", "Cancel order 7.");
      expect(stderr).toMatch(
        /steps that call mcp:shop\/cancel_order are to be reviewed \(unless its server is set to consequential: none\), and at effort medium no model is there for the route review\.tools/,
      );
      expect([code, stdout, wire.received.length]).toEqual([2, "", 0]);
    }));

  it("denies, holds back and asks about its tools by their identities", () =>
    run(function* () {
      const { runs, done } = yield* useShop({
        calls: [
          ["shop__cancel_order", { order: 7 }],
          ["shop__get_order", { order: 7 }],
          ["shop__note", { text: "a" }],
        ],
        server: "        protected: [get_*]",
        rest: 'policy: { deny: ["mcp:shop/cancel_*"], requireApproval: ["mcp:shop/note"] }',
      });
      const { events, code } = yield* runs("run", "--json", "Cancel order 7.");
      const kept = events.flatMap(({ type, tool, guard }) =>
        type === "call:refused" || type === "approval:requested" ? [[type, tool, guard]] : [],
      );
      expect(kept.slice(0, 2)).toEqual([
        ["call:refused", "shop__cancel_order", "deny"],
        ["call:refused", "shop__get_order", "auth_reject"],
      ]);
      expect(kept[2]?.[0]).toBe("approval:requested");
      expect(code).toBe(3);
      expect(done()).toEqual([]);
    }));

  it("is told where its policy names a tool as the server does: a deny that means nothing is none", () =>
    run(function* () {
      const { runs } = yield* useShop({ calls: [], rest: "policy: { deny: [cancel_order] }" });
      const { code, stderr } = yield* runs("run", "Cancel order 7.");
      expect(stderr).toMatch(
        /harness\.yml:\d+:\d+: policy\.deny names cancel_order, .*write mcp:shop\/cancel_order, or shop__cancel_order/,
      );
      expect(code).toBe(2);
    }));

  it("is taken up, forked and asked again with its server, and keeps on record nothing that the server was given in confidence", () =>
    run(function* () {
      const { runs, done, cwd } = yield* useShop({
        calls: [["shop__note", { text: "a" }], report, ["shop__note", { text: "b" }], report],
      });
      expect((yield* runs("run", "Note it.")).code).toBe(0);
      const asked = yield* runs("ask", "latest", "And again?");
      expect(asked.stderr).not.toMatch(/error/i);
      expect(asked.code).toBe(0);
      expect(done()).toEqual(["note a", "note b"]);
      const forked = yield* runs("fork", "latest", "--at", "agent/0:1");
      expect(forked.code).toBe(0);
      expect(done()).toEqual(["note a", "note b"]); // what had run is not run again
      const stored = readFileSync(join(cwd, ".pool/runs.db")).toString("latin1");
      const wal = join(cwd, ".pool/runs.db-wal");
      const recorded = stored + (existsSync(wal) ? readFileSync(wal).toString("latin1") : "");
      expect(recorded).toContain("mcp:shop/note");
      expect(recorded).not.toContain("not for the record");
    }));

  it("has its agents research what a server has: its tools are those of the built-in job", () =>
    run(function* () {
      const cwd = folderWith({
        "harness.yml": `tools: { mcp: { servers: { library: { command: node, args: ["${library}"] } } } }\nstore: none\n`,
      });
      const { code, stdout } = yield* until(call(["run", "Who wrote Emma?"], { cwd }));
      expect(code).toBe(0);
      expect(stdout).toContain("It was written by Jane Austen and published in 1815.");
      expect(stdout).toMatch(/`emma\.md`: read lines/);
    }));

  it("waits for people without its server, and reaches it again when it is taken up", () =>
    run(function* () {
      const { runs, done } = yield* useShop({
        calls: [["shop__note", { text: "a" }], report],
        rest: 'policy: { requireApproval: ["mcp:shop/note"] }',
      });
      expect((yield* runs("run", "Note it.")).code).toBe(3);
      const [open] = JSON.parse((yield* runs("approvals", "--json")).stdout.replace(/^.*?\[/s, "[")) as {
        id: string;
      }[];
      expect((yield* runs("approve", open!.id)).code).toBe(0);
      const resumed = yield* runs("resume", "latest");
      expect([resumed.code, resumed.stdout]).toEqual([0, "done\n"]);
      expect(done()).toEqual(["note a"]);
    }));

  it("says that its server has ended, by name, and starts it again for the next call", () =>
    run(function* () {
      const { runs, done } = yield* useShop({
        calls: [
          ["shop__die", {}],
          ["shop__note", { text: "a" }],
        ],
      });
      const { code, events } = yield* runs("run", "--json", "Note it.");
      expect(code).toBe(0);
      expect(events.filter(({ type }) => type === "notice")).toMatchObject([
        { message: expect.stringMatching(/^The MCP server "shop" has ended \(with exit code 3\)\./) },
      ]);
      expect(done()).toEqual(["die", "note a"]);
    }));

  it("leaves no server behind when it is killed, however deaf that is", () =>
    run(function* () {
      const wire = yield* useWire(streamed(chatEvents({ finish: "stop" }), "hang"));
      const cwd = folderWith({
        "p.ts": program,
        "harness.yml": `program: ./p.ts
model: openai-compatible/served
providers: { openai-compatible: { baseURL: "${wire.url}/v1" } }
tools: { mcp: { servers: { deaf: { command: node, args: ["${hostile}", deaf, pids] } } } }
`,
      });
      const running = start(["run", "Wait."], { cwd });
      yield* until(
        vi.waitFor(() => expect(wire.received).toHaveLength(1), { timeout: 25_000, interval: 20 }),
      );
      const pids = readFileSync(join(cwd, "pids"), "utf8").split(" ").map(Number);
      expect(pids.map(isRunning)).toEqual([true, true]);
      running.process.kill("SIGKILL");
      yield* until(
        vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]), {
          timeout: 10_000,
          interval: 50,
        }),
      );
    }));

  it("keeps its server while it winds down, and leaves it nowhere afterwards", () =>
    run(function* () {
      const { cwd, env, done } = yield* useShop({ calls: [["shop__wait", {}]] });
      const running = start(["run", "Wait."], { cwd, env });
      yield* until(vi.waitFor(() => expect(done()).toContain("wait"), { timeout: 25_000, interval: 20 }));
      const pid = childOf(running.process.pid!);
      running.process.kill("SIGINT");
      yield* until(running.saw("Winding down"));
      expect(isRunning(pid)).toBe(true);
      running.process.kill("SIGTERM");
      expect((yield* until(running.ended)).code).toBe(130);
      expect(isRunning(pid)).toBe(false);
    }));
});

/** The server among a process' children. */
function childOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const isShop = (child: string) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("shop-program");
  return Number(children.find(isShop));
}

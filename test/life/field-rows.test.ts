import {
  type AgentPoolOptions,
  ApprovalDesk,
  agentPool,
  cancel,
  dedup,
  type PoolEvent,
  parallel,
  refuse,
  reportTool,
  requireApproval,
  runPool,
  substitute,
  type Tool,
  type ToolLifecycleHooks,
  ToolRetryError,
  useAgent,
  useAgentPool,
} from "@agentpool/core";
import { each, type Operation, run, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  casting,
  finish,
  instant,
  lastShown,
  ofType,
  playing,
  quiet,
  report,
} from "../scenarios/support.ts";
import { approve, lifeOf, openLife, playLife, shownIn, waiting } from "./support.ts";

/** The same tool, as it is written and as a server offers it under another name. */
const served = (name: string, more: Partial<Tool> = {}) =>
  instant(name, { source: "mcp", identity: "mcp:files/write", ...more });

const ALIASES = [
  ["renamed", served("save")],
  ["with its server's prefix", served("files_write")],
  ["called like a harmless one", served("read")],
] as const;

describe("G6: a tool under whatever name is the same tool", () => {
  for (const [how, tool] of ALIASES) {
    for (const pattern of ["mcp:files/write", "mcp:files/*", "mcp:*"])
      it(`G6: ${how}, to a deny of ${pattern}: it does not run`, () =>
        run(function* () {
          const { result } = yield* playLife({
            model: playing(ask(tool.name), report()),
            tools: [tool, instant("other")],
            deny: [pattern],
          });
          expect(tool.asked).toEqual([]);
          expect(result.agents[0]!.refusals).toMatchObject([{ tool: tool.name, guard: "deny" }]);
        }));

    it(`G6: ${how}, to a guard that names its identity, and the guard is shown it`, () =>
      run(function* () {
        const seen: string[] = [];
        yield* playLife({
          model: playing(asks([tool.name], ["other"]), report()),
          tools: [tool, instant("other")],
          hooks: [
            {
              beforeDispatch: [
                {
                  name: "files",
                  tools: ["mcp:files/*"],
                  decide: ({ tool, identity }) => {
                    seen.push(`${tool} ${identity}`);
                    return refuse("no");
                  },
                },
              ],
            },
          ],
        });
        expect(seen).toEqual([`${tool.name} mcp:files/write`]);
        expect(tool.asked).toEqual([]);
      }));

    it(`G6: ${how}, to an approval: a person is asked, by its identity`, () =>
      run(function* () {
        const rig = yield* openLife({
          model: playing(ask(tool.name), report()),
          tools: [tool],
          requireApproval: ["mcp:files/write"],
        });
        expect(waiting(rig)).toMatchObject({ tool: tool.name, identity: "mcp:files/write" });
        yield* approve(rig, waiting(rig));
        yield* finish(rig);
      }));
  }

  it("G6: to what was read: an alias of a tool does not read a page again", () =>
    run(function* () {
      const once = { beforeDispatch: [dedup("once", ({ q }) => q)] };
      const [save, write] = [served("save", { hooks: once }), served("write", { hooks: once })];
      const { result } = yield* playLife({
        model: playing(ask("save", { q: "x" }), ask("write", { q: "x" }), report()),
        tools: [save, write],
      });
      expect(write.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "write", guard: "once" }]);
    }));

  it("G6: to a grant: one for the identity holds under another name, one for the name of another tool does not", () =>
    run(function* () {
      const pay = instant("pay", { identity: "mcp:bank/pay", source: "mcp", protected: true });
      const granted = yield* playLife({
        model: playing(ask("pay"), report()),
        tools: [pay],
        grants: ["mcp:bank/pay"],
      });
      expect(granted.result.agents[0]!.refusals).toEqual([]);
      const other = instant("bank_pay", { identity: "mcp:bank/pay", source: "mcp", protected: true });
      const wrong = yield* playLife({
        model: playing(ask("bank_pay"), report()),
        tools: [other, instant("pay")],
        grants: ["pay"],
      });
      expect(other.asked).toEqual([]);
      expect(wrong.result.agents[0]!.refusals).toMatchObject([{ guard: "auth_reject" }]);
    }));

  it("G6: to the authorisation gate: under a second name, or brought by a nested pool without its mark, it needs the grant", () =>
    run(function* () {
      const bank = { identity: "mcp:bank/pay", source: "mcp" } as const;
      const alias = instant("transfer", bank);
      const beside = yield* playLife({
        model: playing(ask("transfer"), report()),
        tools: [instant("pay", { ...bank, protected: true }), alias],
      });
      expect(alias.asked).toEqual([]);
      expect(beside.result.agents[0]!.refusals).toMatchObject([{ tool: "transfer", guard: "auth_reject" }]);
      const brought = instant("pay", bank);
      const nested = yield* playLife({
        model: casting({
          "agent/0": [ask("nest"), report()],
          "agent/0:1#0~0/0": [ask("pay"), { text: "done" }],
        }),
        tools: [
          instant("pay", { ...bank, protected: true }),
          instant("nest", {
            *execute() {
              yield* agentPool({ tools: [brought], orchestrate: parallel(["nested"]) });
              return "done";
            },
          }),
        ],
      });
      expect(brought.asked).toEqual([]);
      expect(ofType(nested.events, "call:refused")).toMatchObject([{ tool: "pay", guard: "auth_reject" }]);
    }));

  it("G6: in a nested pool that brings it under a name of its own: the deny by the outer name holds", () =>
    run(function* () {
      const inner = served("harmless");
      const { events } = yield* playLife({
        model: casting({
          "agent/0": [ask("nest"), report()],
          "agent/0:1#0~0/0": [ask("harmless"), { text: "done" }],
        }),
        tools: [
          served("write"),
          instant("nest", {
            *execute() {
              yield* agentPool({ tools: [inner], orchestrate: parallel(["nested"]) });
              return "done";
            },
          }),
        ],
        deny: ["write"],
      });
      expect(inner.asked).toEqual([]);
      expect(ofType(events, "call:refused")).toMatchObject([{ tool: "harmless", guard: "deny" }]);
    }));

  it("G6: to a rewrite: what becomes it under another name is denied", () =>
    run(function* () {
      const save = served("save");
      const { result } = yield* playLife({
        model: playing(ask("look"), report()),
        tools: [instant("look"), save],
        hooks: [
          {
            rewrite: ({ call }) =>
              call.tool === "look" ? { type: "rewrite", tool: "save", args: {}, mode: "replace" } : undefined,
          },
        ],
        deny: ["mcp:files/write"],
      });
      expect(save.asked).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "look", guard: "deny" }]);
    }));
});

describe("G7: a rewrite", () => {
  const both = (more: Partial<Tool> = {}) => {
    const got: unknown[] = [];
    const tool: Tool = {
      name: "write",
      description: "Writes.",
      parameters: z.object({ to: z.string(), text: z.string().optional() }),
      execute: (args) => {
        got.push(args);
        return "written";
      },
      ...more,
    };
    return { tool, got };
  };
  const rewriting = (answer: unknown): ToolLifecycleHooks => ({
    rewrite: ({ call }) => (call.tool === "write" ? (answer as undefined) : undefined),
  });
  const emitted = { to: "ann", text: "hello" };

  for (const [mode, args, becomes] of [
    ["merge", { to: "bob" }, { to: "bob", text: "hello" }],
    ["replace", { to: "bob" }, { to: "bob" }],
  ] as const)
    it(`G7: that says ${mode} does that and nothing else, and both forms are on record`, () =>
      run(function* () {
        const { tool, got } = both();
        const { events } = yield* playLife({
          model: playing(ask("write", emitted), report()),
          tools: [tool],
          hooks: [rewriting({ type: "rewrite", args, mode })],
        });
        expect(got).toEqual([becomes]);
        expect(ofType(events, "call:rewritten")).toMatchObject([
          { mode, from: { tool: "write", args: emitted }, to: { tool: "write" } },
        ]);
        expect(ofType(events, "call:proposed")[0]!.input).toBe(JSON.stringify(emitted));
        expect(ofType(events, "call:dispatched")[0]!.args).toEqual(becomes);
      }));

  for (const [what, answer] of [
    ["does not say whether it replaces or merges", { type: "rewrite", args: { to: "bob" } }],
    ["says it in a word there is not", { type: "rewrite", args: { to: "bob" }, mode: "overlay" }],
    ["has no arguments", { type: "rewrite", mode: "merge" }],
  ] as const)
    it(`G7: that ${what} refuses the call: nothing runs on a guess`, () =>
      run(function* () {
        const { tool, got } = both();
        const { result } = yield* playLife({
          model: playing(ask("write", emitted), report()),
          tools: [tool],
          hooks: [rewriting(answer)],
        });
        expect(got).toEqual([]);
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
      }));

  it("G7: that takes away what the tool needs is validated again: the model reads what is wrong, and nothing ran", () =>
    run(function* () {
      const { tool, got } = both();
      const model = playing(ask("write", emitted), report());
      yield* playLife({
        model,
        tools: [tool],
        hooks: [rewriting({ type: "rewrite", args: {}, mode: "replace" })],
      });
      expect(got).toEqual([]);
      expect(String(shownIn(model, 2)[0]!.value)).toMatch(/don't fit its schema/);
    }));

  it("G7: keeps its two forms apart also where a hook changes its answer afterwards", () =>
    run(function* () {
      const { tool, got } = both();
      const args: Record<string, unknown> = { to: "bob" };
      const { events } = yield* playLife({
        model: playing(ask("write", emitted), report()),
        tools: [tool],
        hooks: [
          rewriting({ type: "rewrite", args, mode: "replace" }),
          {
            beforeDispatch: [
              {
                name: "late",
                decide: () => {
                  args.to = "eve";
                },
              },
            ],
          },
        ],
      });
      expect(got).toEqual([{ to: "bob" }]);
      expect(ofType(events, "call:rewritten")[0]!.to.args).toEqual({ to: "bob" });
    }));
});

/** What keeps a call from running, and what it then is on record. */
const GATES: {
  readonly [gate: string]: Partial<Omit<AgentPoolOptions, "clock">> & {
    readonly ends: string;
    readonly tool?: Partial<Tool>;
  };
} = {
  "a deny": { deny: ["wipe"], ends: "call:refused" },
  "a missing grant": { tool: { protected: true }, ends: "call:refused" },
  "a guard that refuses": {
    hooks: [{ beforeDispatch: [{ name: "no", tools: ["wipe"], decide: () => refuse("no") }] }],
    ends: "call:refused",
  },
  "a guard that cancels": {
    hooks: [{ beforeDispatch: [{ name: "no", tools: ["wipe"], decide: () => cancel("no") }] }],
    ends: "call:cancelled",
  },
  "a guard that answers in its place": {
    hooks: [{ beforeDispatch: [{ name: "no", tools: ["wipe"], decide: () => substitute("done") }] }],
    ends: "call:substituted",
  },
  "a guard that breaks": {
    hooks: [
      {
        beforeDispatch: [
          {
            name: "no",
            tools: ["wipe"],
            decide: () => {
              throw new Error("broken");
            },
          },
        ],
      },
    ],
    ends: "call:refused",
  },
  "a tool's own guard": {
    tool: { hooks: { beforeDispatch: [{ name: "no", reject: () => true, message: "no" }] } },
    ends: "call:refused",
  },
  "a policy": { policy: ({ tool }) => (tool === "wipe" ? refuse("no") : undefined), ends: "call:refused" },
  "a person who says no": { requireApproval: ["wipe"], ends: "call:refused" },
  "a hook that wants a person, who says no": {
    policy: ({ tool }) => (tool === "wipe" ? requireApproval("look") : undefined),
    ends: "call:refused",
  },
};

/** Ways into a pool. Each plays it to its end and returns what happened. */
const PATHS: { readonly [path: string]: (options: AgentPoolOptions) => Operation<void> } = {
  *agentPool(options) {
    yield* agentPool(options);
  },
  *useAgent({ orchestrate: _, ...options }) {
    yield* useAgent({ ...options, task: "look" });
  },
  *"useAgentPool, streamed"(options) {
    const { events } = yield* useAgentPool(options);
    for (const _ of yield* each(events)) yield* each.next();
  },
  *"runPool, awaited"(options) {
    yield* until(Promise.resolve(runPool(options)));
  },
  *"runPool, iterated over"(options) {
    yield* until(
      (async () => {
        for await (const _ of runPool(options));
      })(),
    );
  },
  *"a pool that an orchestrator opens"(options) {
    yield* agentPool({
      ...options,
      *orchestrate() {
        yield* agentPool({ key: "inner", orchestrate: parallel(["look"]) });
      },
    });
  },
  *"a pool nested by an operation"(options) {
    const nest = instant("nest", {
      *execute() {
        yield* agentPool({ orchestrate: parallel(["nested"]) });
        return "done";
      },
    });
    yield* agentPool({
      ...options,
      tools: [...(options.tools ?? []), nest],
      orchestrate: parallel(["boss"]),
    });
  },
  *"a pool nested by a promise"(options) {
    const nest = instant("nest", {
      execute: async (_args, ctx) => {
        await runPool({ orchestrate: parallel(["nested"]), parent: ctx });
        return "done";
      },
    });
    yield* agentPool({
      ...options,
      tools: [...(options.tools ?? []), nest],
      orchestrate: parallel(["boss"]),
    });
  },
  *"a fork of a running agent"(options) {
    yield* agentPool({
      ...options,
      *orchestrate(pool) {
        const parent = yield* pool.spawn({ task: "idle", key: "idle" });
        yield* pool.waitFor(yield* pool.spawn({ task: "look", key: "fork", parent }));
        yield* pool.waitFor(parent);
      },
    });
  },
  *"a call that was rewritten into it"(options) {
    yield* agentPool({
      ...options,
      tools: [...(options.tools ?? []), instant("rewritten")],
      orchestrate: parallel(["rewriting"]),
      hooks: [
        {
          rewrite: ({ call }) =>
            call.tool === "rewritten"
              ? { type: "rewrite", tool: "wipe", args: {}, mode: "replace" }
              : undefined,
        },
        ...(options.hooks ?? []),
      ],
    });
  },
  *"a step that was judged"(options) {
    yield* agentPool({ ...options, hooks: [...(options.hooks ?? []), { onPropose: () => undefined }] });
  },
};

const scripts = {
  look: [ask("wipe"), report()],
  nested: [ask("wipe"), report()],
  boss: [ask("nest"), report()],
  idle: [{ wait: 1, ...report() }],
  rewriting: [ask("rewritten"), report()],
};

describe("G10: on no path does a call run that has not passed the gates", () => {
  for (const [path, play] of Object.entries(PATHS))
    for (const [gate, { ends, tool, ...options }] of Object.entries(GATES))
      it(`G10: ${path}: ${gate} keeps it from running`, () =>
        run(function* () {
          const wipe = instant("wipe", tool);
          const events: PoolEvent[] = [];
          const approvals = new ApprovalDesk();
          yield* play({
            model: casting(scripts),
            tools: [wipe],
            terminal: reportTool,
            orchestrate: parallel(["look"]),
            ...options,
            approvals,
            onEvent(event) {
              events.push(event);
              if (event.type === "approval:requested") approvals.deny(event.approval.id);
            },
          });
          expect(wipe.asked).toEqual([]);
          expect(
            ofType(events, "call:dispatched").filter(({ identity }) => identity === "local:wipe"),
          ).toEqual([]);
          expect(events.filter(({ type }) => type === ends)).toHaveLength(1);
        }));

  it("G10: a client tool is not offered to its client unless its call has passed them", () =>
    run(function* () {
      for (const [gate, { ends, tool, requireApproval: asked, ...options }] of Object.entries(GATES)) {
        const wipe = instant("wipe", { ...tool, target: "client" });
        const rig = yield* openLife({ model: playing(ask("wipe"), report()), tools: [wipe], ...options });
        expect(rig.handle.clientCalls(), gate).toEqual(
          asked ? [expect.objectContaining({ tool: "wipe" })] : [],
        );
        if (asked) rig.handle.submit({ "agent/0:1#0": "done" });
        yield* finish(rig);
        if (!asked)
          expect(
            rig.events.some(({ type }) => type === ends),
            gate,
          ).toBe(true);
      }
    }));

  it("G10: a retry keeps its verdict: the same call runs again, asked about once, and no other in its place", () =>
    run(function* () {
      const asked: string[] = [];
      const ran: unknown[] = [];
      const flaky = instant("flaky", {
        execute: (args, { id, attempt }) => {
          ran.push([id, attempt, args]);
          if (attempt === 0) throw new ToolRetryError("busy", 10);
          return "done";
        },
      });
      const rig = yield* openLife({
        model: playing(ask("flaky", { q: "x" }), report()),
        tools: [flaky],
        policy: ({ call, tool }) => {
          if (tool === "flaky") asked.push(call.id);
          return tool === "flaky" ? requireApproval("look") : undefined;
        },
      });
      yield* approve(rig, waiting(rig));
      rig.clock.advance(10);
      yield* quiet;
      yield* finish(rig);
      expect(ran).toEqual([
        ["agent/0:1#0", 0, { q: "x" }],
        ["agent/0:1#0", 1, { q: "x" }],
      ]);
      expect(asked).toEqual(["agent/0:1#0"]);
      expect(ofType(rig.events, "approval:requested")).toHaveLength(1);
    }));

  it("G10: of calls in one turn each passes them for itself, and the refused one is told so in its own place", () =>
    run(function* () {
      const wipe = instant("wipe");
      const look = instant("look");
      const model = playing(asks(["look", { q: "1" }], ["wipe"], ["look", { q: "2" }]), report());
      const { events } = yield* playLife({ model, tools: [look, wipe], deny: ["wipe"] });
      expect(look.asked).toEqual(["1", "2"]);
      expect(wipe.asked).toEqual([]);
      expect(lastShown(model, "agent/0").map(({ tool, type }) => [tool, type])).toEqual([
        ["look", "json"],
        ["wipe", "error-text"],
        ["look", "json"],
      ]);
      expect(lifeOf(events, "agent/0:1#1")).toEqual(["call:proposed", "call:refused", "call:admitted"]);
    }));
});

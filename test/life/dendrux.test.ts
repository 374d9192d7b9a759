import {
  type Args,
  agentPool,
  ConfigurationError,
  cancel,
  type GuardFunction,
  type GuardInput,
  type PoolEvent,
  parallel,
  refuse,
  reportTool,
  requireApproval,
  runPool,
  substitute,
  type Tool,
} from "@agentpool/core";
import { type Operation, run, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  finish,
  instant,
  leftovers,
  noted,
  ofType,
  playing,
  quiet,
  report,
  thrownBy,
} from "../scenarios/support.ts";
import { approve, deny, lifeOf, once, openLife, playLife, seenBy, shownIn, waiting } from "./support.ts";

/** The page's tools and its policy, as they are written here. */
function banking() {
  const sent: Args[] = [];
  const sendEmail: Tool = {
    name: "send_email",
    description: "Sends an e-mail.",
    parameters: z.object({ to: z.array(z.string()).default([]) }),
    execute: (args) => noted(sent, args, "sent"),
  };
  const deleted: Args[] = [];
  const deleteRows: Tool = {
    name: "delete_rows",
    description: "Deletes rows.",
    parameters: z.object({ count: z.number().default(0) }),
    execute: (args) => noted(deleted, args, { status: "deleted" }),
  };
  return { tools: [sendEmail, deleteRows], sent, deleted };
}

const flagged = new Set<string>();

async function policy({ tool, args, run }: GuardInput) {
  await null;
  if (tool === "send_email" && (args.to as string[]).length > 10)
    return requireApproval("More than 10 recipients");
  if (flagged.has(run)) return refuse("Tools locked: prompt injection detected");
  if (tool === "delete_rows" && Number(args.count) > 100) return substitute({ status: "held_for_review" });
  return undefined;
}

/** A policy that answers one thing about every call but the report. */
const saying =
  (answer: unknown): GuardFunction =>
  ({ tool }) =>
    (tool === "report" ? undefined : answer) as never;

describe("the page's policy", () => {
  it("asks a person about more than ten recipients, and not about ten", () =>
    run(function* () {
      const { tools, sent } = banking();
      const many = Array.from({ length: 11 }, (_, index) => `${index}@example.com`);
      const rig = yield* openLife({
        model: playing(ask("send_email", { to: many.slice(1) }), ask("send_email", { to: many }), report()),
        tools,
        policy,
      });
      expect(sent).toHaveLength(1);
      expect(waiting(rig)).toMatchObject({
        tool: "send_email",
        reason: "More than 10 recipients",
        args: { to: many },
      });
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(sent).toHaveLength(2);
    }));

  it("locks the tools of a run that was flagged, by the run's id", () =>
    run(function* () {
      flagged.add("run-1");
      const { tools, sent } = banking();
      const model = once("send_email", {});
      const { result } = yield* playLife({ model, tools, policy, run: "run-1" });
      expect(sent).toEqual([]);
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: "Tools locked: prompt injection detected" },
      ]);
      expect(result.agents[0]!.refusals[0]).toMatchObject({ tool: "send_email", guard: "policy" });
      flagged.clear();
    }));

  it("answers in the place of a large delete, and lets a small one run", () =>
    run(function* () {
      const { tools, deleted } = banking();
      const model = playing(asks(["delete_rows", { count: 101 }], ["delete_rows", { count: 100 }]), report());
      yield* playLife({ model, tools, policy });
      expect(deleted).toEqual([{ count: 100 }]);
      expect(shownIn(model, 2).map(({ value }) => value)).toEqual([
        { status: "held_for_review" },
        { status: "deleted" },
      ]);
    }));
});

describe("the hook", () => {
  const kinds: readonly [string, (answer: unknown) => GuardFunction][] = [
    ["a function", (answer) => saying(answer)],
    [
      "an async function",
      (answer) => async (input) => {
        await null;
        return saying(answer)(input) as never;
      },
    ],
    [
      "an operation",
      (answer) =>
        function* (input): Operation<never> {
          yield* until(Promise.resolve());
          return saying(answer)(input) as never;
        },
    ],
  ];
  for (const [kind, of] of kinds)
    it(`may be ${kind}`, () =>
      run(function* () {
        const search = instant("search");
        const { result } = yield* playLife({
          model: once("search"),
          tools: [search],
          policy: of(refuse("no")),
        });
        expect(search.asked).toEqual([]);
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "policy", message: "no" }]);
      }));

  it("is asked once per call, in the order the model emitted them", () =>
    run(function* () {
      const asked: string[] = [];
      yield* playLife({
        model: playing(
          asks(["search", { q: "a" }], ["search", { q: "b" }]),
          asks(["search", { q: "a" }]),
          report(),
        ),
        tools: [instant("search")],
        policy: ({ call }) => {
          asked.push(call.id);
        },
      });
      expect(asked).toEqual(["agent/0:1#0", "agent/0:1#1", "agent/0:2#0", "agent/0:3#0"]);
    }));

  it("waits for its answer about one call before it is asked about the next", () =>
    run(function* () {
      const log: string[] = [];
      yield* playLife({
        model: playing(asks(["search", { q: "a" }], ["search", { q: "b" }]), report()),
        tools: [instant("search")],
        policy: async ({ args, tool }) => {
          if (tool !== "search") return;
          log.push(`asked ${args.q}`);
          await null;
          log.push(`answered ${args.q}`);
        },
      });
      expect(log).toEqual(["asked a", "answered a", "asked b", "answered b"]);
    }));

  it("is not asked about a call whose arguments cannot be read, nor one that does not fit the schema", () =>
    run(function* () {
      const asked: string[] = [];
      const { tools } = banking();
      const model = playing(asks(["send_email", "{ to: "], ["send_email", { to: "not a list" }]), report());
      yield* playLife({ model, tools, policy: ({ tool }) => noted(asked, tool, undefined) });
      expect(asked).toEqual(["report"]);
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: expect.stringContaining("not valid JSON") },
        { type: "error-text", value: expect.stringContaining("schema") },
      ]);
    }));

  it("is not asked about a denied tool, and no answer lifts the deny", () =>
    run(function* () {
      const asked: string[] = [];
      const search = instant("search");
      const { result } = yield* playLife({
        model: playing(ask("search"), { text: "done" }),
        tools: [search],
        deny: ["search"],
        policy: ({ tool }) => noted(asked, tool, substitute("fine")),
      });
      expect([asked, search.asked]).toEqual([[], []]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
    }));

  it("comes before a person: whom it denies nobody is asked about", () =>
    run(function* () {
      const order: string[] = [];
      const rig = yield* openLife({
        model: once("search"),
        tools: [instant("search")],
        requireApproval: ["search"],
        policy: ({ tool }) => {
          if (tool === "search") order.push("policy");
        },
        onEvent: ({ type }) => {
          if (type === "approval:requested") order.push("person");
        },
      });
      expect(order).toEqual(["policy", "person"]);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));

  it("of a pool without tools is an error that says so", () =>
    run(function* () {
      const error = yield* thrownBy(playLife({ model: once("report"), tools: [], policy: () => {} }));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/policy.*no tools/s);
    }));

  it("that is no function is an error that says so", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({ model: once("search"), tools: [instant("search")], policy: "deny" as never }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/policy/);
    }));
});

describe("what the hook sees", () => {
  it("is the call: its tool, arguments, ids, agent, run, source and what the server declared", () =>
    run(function* () {
      const seen: unknown[] = [];
      yield* playLife({
        model: once("search", { q: "x" }),
        tools: [instant("search")],
        run: "run-7",
        policy: ({ tool, identity, args, call, agent, run, source, meta }) => {
          if (tool === "search")
            seen.push({ tool, identity, args, call, agent: agent.key, run, source, meta });
        },
      });
      expect(seen).toEqual([
        {
          tool: "search",
          identity: "local:search",
          args: { q: "x" },
          call: { id: "agent/0:1#0", tool: "search", identity: "local:search", args: { q: "x" }, turn: 1 },
          agent: "agent/0",
          run: "run-7",
          source: "local",
          meta: { annotations: null },
        },
      ]);
    }));

  it("are copies: mutating arguments and meta changes neither what executes nor what the next call shows", () =>
    run(function* () {
      const { tools, sent } = banking();
      const meta = { annotations: { readOnlyHint: true }, more: { deep: 1 } };
      const seen: unknown[] = [];
      yield* playLife({
        model: playing(asks(["send_email", { to: ["a"] }], ["send_email", { to: ["b"] }]), report()),
        tools: [{ ...tools[0]!, meta }],
        policy: ({ tool, args, call, meta }) => {
          if (tool !== "send_email") return;
          seen.push(structuredClone(meta));
          (args.to as string[]).push("mallory");
          (call.args.to as string[]).push("mallory");
          args.extra = true;
          (meta.annotations as { readOnlyHint: boolean }).readOnlyHint = false;
          (meta.more as { deep: number }).deep = 2;
        },
      });
      expect(sent).toEqual([{ to: ["a"] }, { to: ["b"] }]);
      expect(seen).toEqual([meta, meta]);
      expect(meta).toEqual({ annotations: { readOnlyHint: true }, more: { deep: 1 } });
    }));

  it("are copies also of values a schema made: a date that a hook moves stays where it was", () =>
    run(function* () {
      const booked: unknown[] = [];
      yield* playLife({
        model: once("book", { day: "2031-05-01T00:00:00.000Z" }),
        tools: [
          {
            name: "book",
            description: "Books a day.",
            parameters: z.object({ day: z.string().transform((text) => new Date(text)) }),
            execute: ({ day }) => noted(booked, (day as Date).toISOString(), "booked"),
          },
        ],
        policy: ({ args }) => {
          if (args.day instanceof Date) args.day.setFullYear(1999);
        },
      });
      expect(booked).toEqual(["2031-05-01T00:00:00.000Z"]);
    }));

  it("cannot be written to: what a hook assigns is not what runs", () =>
    run(function* () {
      const search = instant("search");
      yield* playLife({
        model: once("search", { q: "x" }),
        tools: [search, instant("other")],
        policy: (input) => {
          try {
            Object.assign(input, { args: { q: "changed" }, tool: "other" });
          } catch {}
        },
      });
      expect(search.asked).toEqual(["x"]);
    }));
});

describe("the four decisions", () => {
  it("allow runs the tool", () =>
    run(function* () {
      const search = instant("search");
      const { result } = yield* playLife({ model: once("search"), tools: [search], policy: () => undefined });
      expect(search.asked).toEqual(["x"]);
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, refusals: [] });
    }));

  it("deny is a refusal and no call: nothing was dispatched, nothing counts, and the model reads the reason", () =>
    run(function* () {
      const search = instant("search");
      const model = once("search");
      const { result, events } = yield* playLife({
        model,
        tools: [search],
        policy: saying(refuse("Not today.")),
      });
      expect(search.asked).toEqual([]);
      expect(ofType(events, "call:dispatched")).toEqual([]);
      expect(ofType(events, "call:settled").map(({ tool }) => tool)).toEqual(["report"]); // the end alone
      expect(result.agents[0]).toMatchObject({ toolCallCount: 0, attendedCount: 0 });
      expect(result.totals).toMatchObject({ toolCalls: 0, refusals: 1 });
      expect(shownIn(model, 2)).toMatchObject([{ type: "error-text", value: "Not today." }]);
    }));

  it("substitute is on record as a success of the guard's, told from a real one, and is not attended", () =>
    run(function* () {
      const search = instant("search");
      const model = playing(ask("search"), ask("search"), report());
      let attended: readonly Args[] = [];
      const { result, events } = yield* playLife({
        model,
        tools: [search],
        policy: (input) => {
          attended = input.attended();
          return saying(substitute({ status: "held" }))(input) as never;
        },
      });
      expect(search.asked).toEqual([]);
      expect(shownIn(model, 2)).toMatchObject([{ type: "json", value: { status: "held" } }]);
      expect(ofType(events, "call:substituted")).toMatchObject([
        { guard: "policy", value: { status: "held" } },
        { guard: "policy", value: { status: "held" } },
      ]);
      expect(ofType(events, "call:admitted")[0]).toMatchObject({ outcome: "substituted", attended: false });
      expect(result.agents[0]).toMatchObject({ toolCallCount: 0, attendedCount: 0, refusals: [] });
      expect(attended).toEqual([]);
    }));

  for (const [what, value, output] of [
    ["text", "held", { type: "text", value: "held" }],
    ["null", null, { type: "json", value: null }],
    ["a list", [1, { a: 2 }], { type: "json", value: [1, { a: 2 }] }],
    ["false", false, { type: "json", value: false }],
  ] as const)
    it(`substitute takes any JSON: ${what}`, () =>
      run(function* () {
        const model = once("search");
        yield* playLife({ model, tools: [instant("search")], policy: saying(substitute(value)) });
        expect(shownIn(model, 2)).toMatchObject([output]);
      }));

  it("substitute is taken as it was then: what changes later is not what the model reads", () =>
    run(function* () {
      const value = { status: "held" };
      const model = once("search");
      yield* playLife({
        model,
        tools: [instant("search")],
        policy: saying(substitute(value)),
        onEvent: ({ type }) => {
          if (type === "call:substituted") value.status = "changed";
        },
      });
      expect(shownIn(model, 2)).toMatchObject([{ value: { status: "held" } }]);
    }));

  it("requireApproval asks a person, and the tool runs once approved", () =>
    run(function* () {
      const search = instant("search");
      const model = once("search");
      const rig = yield* openLife({ model, tools: [search], policy: saying(requireApproval("why not ask")) });
      expect(search.asked).toEqual([]);
      expect(waiting(rig)).toMatchObject({ agent: "agent/0", call: "agent/0:1#0", reason: "why not ask" });
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect(search.asked).toEqual(["x"]);
      expect(agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1, refusals: [] });
    }));

  it("cancel, beyond the page, is a normal result", () =>
    run(function* () {
      const model = once("search");
      yield* playLife({ model, tools: [instant("search")], policy: saying(cancel("Skipped.")) });
      expect(shownIn(model, 2)).toMatchObject([{ type: "text", value: "Skipped." }]);
    }));

  for (const field of ["message", "reason"] as const) {
    const type = field === "message" ? "refuse" : "requireApproval";
    it(`${type} needs a ${field}`, () =>
      run(function* () {
        const { result } = yield* playLife({
          model: once("search"),
          tools: [instant("search")],
          policy: saying({ type, [field]: "  " }),
        });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
      }));
  }
});

describe("a static gate", () => {
  const gated = (answer: unknown) => {
    const search = instant("search");
    const model = once("search");
    return {
      search,
      model,
      options: { model, tools: [search], requireApproval: ["search"], policy: saying(answer) },
    };
  };

  it("loses to a deny of the hook: the call is denied and nobody is asked", () =>
    run(function* () {
      const { search, options } = gated(refuse("no"));
      const { result, events } = yield* playLife(options);
      expect(search.asked).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "policy", message: "no" }]);
    }));

  it("loses to a cancel of the hook", () =>
    run(function* () {
      const { search, options } = gated(cancel("no"));
      const { events } = yield* playLife(options);
      expect(search.asked).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
    }));

  for (const [what, answer] of [
    ["allow", undefined],
    ["substitute", substitute("canned")],
    ["requireApproval", requireApproval("the hook's reason")],
  ] as const) {
    it(`stays in place where the hook says ${what}: a person is asked, and on approval the tool runs`, () =>
      run(function* () {
        const { search, model, options } = gated(answer);
        const rig = yield* openLife(options);
        expect(search.asked).toEqual([]);
        yield* approve(rig, waiting(rig));
        yield* finish(rig);
        expect(search.asked).toEqual(["x"]);
        expect(shownIn(model, 2)).toMatchObject([{ type: "json", value: { answer: "x" } }]);
        expect(ofType(rig.events, "approval:requested")).toHaveLength(1);
      }));

    it(`stays in place where the hook says ${what}: denied by the person the tool does not run`, () =>
      run(function* () {
        const { search, model, options } = gated(answer);
        const rig = yield* openLife(options);
        yield* deny(rig, waiting(rig), "not now");
        yield* finish(rig);
        expect(search.asked).toEqual([]);
        expect(shownIn(model, 2)).toMatchObject([
          { type: "error-text", value: expect.stringContaining("not now") },
        ]);
      }));
  }

  it("puts a substitute that is not used on record", () =>
    run(function* () {
      const { options } = gated(substitute({ canned: true }));
      const rig = yield* openLife(options);
      expect(ofType(rig.events, "hook:warning")).toMatchObject([
        { hook: "policy", call: "agent/0:1#0", value: { canned: true } },
      ]);
      expect(ofType(rig.events, "call:substituted")).toEqual([]);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));

  it("holds back the whole batch: a call that needs nobody waits until the person decided", () =>
    run(function* () {
      const [search, other] = [instant("search"), instant("other")];
      const rig = yield* openLife({
        model: playing(asks(["other", { q: "1" }], ["search", { q: "2" }]), report()),
        tools: [search, other],
        requireApproval: ["search"],
      });
      expect(other.asked).toEqual([]);
      yield* deny(rig, waiting(rig));
      yield* finish(rig);
      expect([other.asked, search.asked]).toEqual([["1"], []]);
    }));

  it("in both lists at once is an error that names the tool", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({
          model: once("search"),
          tools: [instant("search")],
          deny: ["search"],
          requireApproval: ["search"],
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/requireApproval.*search.*deny/s);
    }));

  it("of a tool there is not is an error that names the nearest", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({ model: once("search"), tools: [instant("search")], requireApproval: ["serch"] }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/requireApproval.*"serch".*did you mean "search"/s);
    }));

  it("over everything leaves a deny of one tool as it is: neither is an error", () =>
    run(function* () {
      const [search, shell] = [instant("search"), instant("shell")];
      const rig = yield* openLife({
        model: playing(asks(["search", { q: "1" }], ["shell", { q: "2" }]), { text: "done" }),
        tools: [search, shell],
        terminal: undefined,
        deny: ["shell"],
        requireApproval: ["*"],
      });
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect([search.asked, shell.asked]).toEqual([["1"], []]);
      expect(agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
    }));

  it("may be tightened to a deny by a nested pool", () =>
    run(function* () {
      const search = instant("search");
      const { events } = yield* playLife({
        model: playing(ask("search"), report()),
        tools: [search],
        requireApproval: ["search"],
        *orchestrate() {
          yield* agentPool({ key: "inner", deny: ["search"], orchestrate: parallel(["look"]) });
        },
      });
      expect(search.asked).toEqual([]);
      expect(ofType(events, "call:refused")).toMatchObject([{ guard: "deny" }]);
    }));
});

describe("a client tool", () => {
  const pick = (): Tool => ({ ...instant("pick"), target: "client" });

  it("cannot be approved here: a hook that asks for it denies the call, with the reason and a warning", () =>
    run(function* () {
      const model = once("pick");
      const { result, events } = yield* playLife({
        model,
        tools: [pick()],
        policy: saying(requireApproval("ask somebody")),
      });
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: expect.stringContaining("approval is not supported for client tools") },
      ]);
      expect(ofType(events, "hook:warning")).toMatchObject([{ call: "agent/0:1#0" }]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "pick", guard: "approval" }]);
    }));

  for (const pattern of ["pick", "local:pick"])
    it(`in requireApproval as ${pattern} is an error that says why`, () =>
      run(function* () {
        const error = yield* thrownBy(
          playLife({ model: once("pick"), tools: [pick()], requireApproval: [pattern] }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(/requireApproval.*pick.*client/s);
      }));

  it("that a pattern over many tools selects is denied with a warning", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: playing(ask("pick"), { text: "done" }),
        terminal: undefined,
        tools: [pick(), instant("search")],
        requireApproval: ["local:*"],
      });
      expect(ofType(events, "hook:warning")).toHaveLength(1);
      expect(ofType(events, "call:refused")).toMatchObject([{ tool: "pick", guard: "approval" }]);
    }));

  for (const [what, answer, type] of [
    ["denied", refuse("no"), "error-text"],
    ["cancelled", cancel("no"), "text"],
    ["answered in its place", substitute({ picked: 1 }), "json"],
  ] as const)
    it(`may be ${what} like any other: the client never sees the call`, () =>
      run(function* () {
        const model = once("pick");
        const rig = yield* openLife({ model, tools: [pick()], policy: saying(answer) });
        expect(rig.handle.clientCalls()).toEqual([]);
        yield* finish(rig);
        expect(shownIn(model, 2)).toMatchObject([{ type }]);
      }));
});

describe("tools of other sources", () => {
  /** Stand-ins, as an adapter for MCP or for skills makes them. */
  const mcp = (annotations?: { readonly [key: string]: unknown }): ReturnType<typeof instant> =>
    instant("delete_file", {
      source: "mcp",
      identity: "mcp:files/delete_file",
      meta: { server: "files", annotations },
    });
  const mcpPolicy: GuardFunction = ({ source, meta }) => {
    const annotations = meta.annotations ?? {};
    return source === "mcp" && annotations.destructiveHint
      ? requireApproval("Destructive MCP tool")
      : undefined;
  };

  it("a policy on what an MCP server declared asks about a destructive tool", () =>
    run(function* () {
      const tool = mcp({ destructiveHint: true });
      const rig = yield* openLife({ model: once("delete_file"), tools: [tool], policy: mcpPolicy });
      expect(waiting(rig)).toMatchObject({
        identity: "mcp:files/delete_file",
        reason: "Destructive MCP tool",
      });
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(tool.asked).toEqual(["x"]);
    }));

  it("annotations are null where the server sent none, whether it left them out or sent undefined", () =>
    run(function* () {
      const seen: unknown[] = [];
      const bare = instant("list_files", { source: "mcp", meta: { server: "files" } });
      yield* playLife({
        model: playing(asks(["delete_file"], ["list_files"]), report()),
        tools: [mcp(undefined), bare],
        policy: ({ source, meta }) => {
          if (source === "mcp") seen.push(meta);
        },
      });
      expect(seen).toEqual([
        { server: "files", annotations: null },
        { server: "files", annotations: null },
      ]);
    }));

  it("skills come with their source, and a policy may govern some of them", () =>
    run(function* () {
      const skills = ["use_skill", "read_skill_resource", "run_skill_script"].map((name) =>
        instant(name, { source: "skill" }),
      );
      const seen: string[] = [];
      yield* playLife({
        model: playing(asks(...skills.map(({ name }) => [name, { q: "x" }] as const)), report()),
        tools: skills,
        policy: ({ source, identity, tool }) => {
          if (source === "skill") seen.push(identity);
          return tool === "run_skill_script" ? refuse("no scripts here") : undefined;
        },
      });
      expect(seen).toEqual(["skill:use_skill", "skill:read_skill_resource", "skill:run_skill_script"]);
      expect(skills.map(({ asked }) => asked)).toEqual([["x"], ["x"], []]);
    }));

  it("static lists cover every source by name, identity and pattern", () =>
    run(function* () {
      for (const deny of ["delete_file", "mcp:files/delete_file", "mcp:files/*", "mcp:*"]) {
        const tool = mcp();
        const { result } = yield* playLife({ model: once("delete_file"), tools: [tool], deny: [deny] });
        expect(tool.asked).toEqual([]);
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
      }
    }));
});

describe("fail closed", () => {
  class TenantStoreDown extends Error {}
  const broken: readonly [string, GuardFunction, string][] = [
    [
      "raises",
      () => {
        throw new TenantStoreDown("postgres://user:hunter2@db");
      },
      "TenantStoreDown",
    ],
    ["rejects", () => Promise.reject(new TenantStoreDown("postgres://user:hunter2@db")), "TenantStoreDown"],
    [
      "raises what is no error",
      () => {
        throw "hunter2";
      },
      "string",
    ],
    ["returns text", (() => "deny hunter2") as never, "MalformedAnswer"],
    ["returns true", (() => true) as never, "MalformedAnswer"],
    ["returns an unknown decision", (() => ({ type: "hunter2" })) as never, "MalformedAnswer"],
    ["substitutes a big integer", () => substitute(2n), "TypeError"],
    ["substitutes a function", () => substitute(() => "hunter2"), "TypeError"],
    ["substitutes not a number", () => substitute(Number.NaN), "TypeError"],
    [
      "substitutes something circular",
      () => {
        const value: { self?: unknown; password: string } = { password: "hunter2" };
        value.self = value;
        return substitute(value);
      },
      "TypeError",
    ],
    [
      "substitutes what throws when it is looked at",
      () =>
        substitute({
          get value() {
            throw new TenantStoreDown("hunter2");
          },
        }),
      "TenantStoreDown",
    ],
    [
      "answers with what throws when it is looked at",
      () =>
        ({
          get type(): "refuse" {
            throw new TenantStoreDown("hunter2");
          },
          message: "no",
        }) as never,
      "TenantStoreDown",
    ],
  ];
  const about =
    (policy: GuardFunction): GuardFunction =>
    (input) =>
      input.tool === "search" ? policy(input) : undefined;

  for (const [how, policy, error] of broken)
    it(`a hook that ${how} denies the call as "policy hook error", telling nobody its message`, () =>
      run(function* () {
        const search = instant("search");
        const model = once("search");
        const { result, events } = yield* playLife({ model, tools: [search], policy: about(policy) });
        expect(search.asked).toEqual([]);
        expect(shownIn(model, 2)).toMatchObject([
          { type: "error-text", value: expect.stringContaining("policy hook error") },
        ]);
        expect(ofType(events, "hook:error")).toMatchObject([
          { hook: "policy", moment: "beforeDispatch", error, verdict: "refused", call: "agent/0:1#0" },
        ]);
        expect(lifeOf(events, "agent/0:1#0")).not.toContain("call:substituted");
        expect(JSON.stringify(events) + seenBy(model)).not.toContain("hunter2");
        expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 0 });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
      }));

  it("the run goes on: the next call is asked about afresh, and runs", () =>
    run(function* () {
      let asked = 0;
      const search = instant("search");
      const { result } = yield* playLife({
        model: playing(ask("search", { q: "1" }), ask("search", { q: "2" }), report()),
        tools: [search],
        policy: about(() => {
          if (asked++ === 0) throw new Error("down");
          return undefined;
        }),
      });
      expect(search.asked).toEqual(["2"]);
      expect(result.agents[0]).toMatchObject({ exit: "returned", toolCallCount: 1 });
    }));

  it("a broken hook does not ask the person that a static gate would", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: once("search"),
        tools: [instant("search")],
        requireApproval: ["search"],
        policy: about(() => {
          throw new Error("down");
        }),
      });
      expect(ofType(events, "approval:requested")).toEqual([]);
    }));

  for (const [how, hang] of [
    ["a promise", () => new Promise<undefined>(() => {})],
    [
      "an operation",
      function* () {
        yield* suspend();
      },
    ],
  ] as const) {
    it(`cancelling while the hook waits for ${how} is a cancellation, and no hook error`, () =>
      run(function* () {
        const rig = yield* openLife({
          model: once("search"),
          tools: [instant("search")],
          policy: about(hang),
        });
        yield* rig.handle.cancel("agent/0");
        const { agents } = yield* finish(rig);
        expect(agents[0]).toMatchObject({ exit: "cancelled", refusals: [] });
        expect(ofType(rig.events, "hook:error")).toEqual([]);
        expect(ofType(rig.events, "call:refused")).toEqual([]);
      }));

    it(`halting the run while the hook waits for ${how} propagates, and no hook error is left`, async () => {
      const events: PoolEvent[] = [];
      const pool = runPool({
        model: once("search"),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["look"]),
        policy: about(hang),
        onEvent: (event) => events.push(event),
      });
      await run(() => quiet);
      await pool.halt();
      expect(ofType(events, "hook:error")).toEqual([]);
      expect(ofType(events, "agent:ended")).toMatchObject([{ result: { exit: "cancelled" } }]);
    });

    it(`one that waits for ${how} for ever misses its deadline of 30 s, and denies`, () =>
      run(function* () {
        const rig = yield* openLife({
          model: once("search"),
          tools: [instant("search")],
          policy: about(hang),
        });
        const { agents } = yield* finish(rig);
        expect(rig.clock.now()).toBe(30_000);
        expect(agents[0]!.refusals).toMatchObject([{ guard: "hook_error" }]);
        expect(ofType(rig.events, "hook:error")).toMatchObject([{ error: "DeadlineError", ms: 30_000 }]);
        expect(leftovers(rig)).toEqual([]);
      }));
  }
});

describe("after a pause", () => {
  it("the hook is not asked again: a call a person approved executes, whatever it would say now", () =>
    run(function* () {
      let locked = false;
      const asked: string[] = [];
      const search = instant("search");
      const rig = yield* openLife({
        model: once("search"),
        tools: [search],
        requireApproval: ["search"],
        policy: ({ tool, call }) => {
          if (tool !== "search") return undefined;
          return noted(asked, call.id, locked ? refuse("locked") : undefined);
        },
      });
      locked = true;
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(asked).toEqual(["agent/0:1#0"]);
      expect(search.asked).toEqual(["x"]);
    }));

  it("a held call that needed nobody was evaluated before the pause, and runs after it unasked", () =>
    run(function* () {
      const asked: string[] = [];
      const [search, other] = [instant("search"), instant("other")];
      const rig = yield* openLife({
        model: playing(asks(["search"], ["other"]), report()),
        tools: [search, other],
        requireApproval: ["search"],
        policy: ({ tool }) => {
          asked.push(tool);
        },
      });
      expect(asked).toEqual(["search", "other"]);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(asked).toEqual(["search", "other", "report"]);
      expect(other.asked).toHaveLength(1);
    }));
});

describe("limits of the page that do not hold here, or hold by other means", () => {
  it("a policy does not mutate: to change a call there is rewrite", () =>
    run(function* () {
      const search = instant("search");
      yield* playLife({
        model: once("search"),
        tools: [search],
        policy: saying({ type: "rewrite", args: { q: "y" }, mode: "replace" }),
      });
      expect(search.asked).toEqual([]);
    }));

  it("covers the run and the stream alike, and nested pools: there is one dispatcher", () =>
    run(function* () {
      const search = instant("search");
      const seen: string[] = [];
      yield* playLife({
        model: playing(ask("search"), report()),
        tools: [search],
        policy: ({ agent, tool }) => {
          if (tool === "search") return noted(seen, agent.key, refuse("no"));
          return undefined;
        },
        *orchestrate() {
          yield* agentPool({ key: "inner", orchestrate: parallel(["look"]) });
        },
      });
      expect(seen).toEqual(["inner/0"]);
      expect(search.asked).toEqual([]);
    }));
});

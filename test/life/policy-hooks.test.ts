import {
  type Args,
  ConfigurationError,
  cancel,
  type GuardFunction,
  refuse,
  requireApproval,
  substitute,
  type Tool,
} from "@agentpool/core";
import { type Operation, run, until } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  asks,
  finish,
  instant,
  noted,
  ofType,
  playing,
  report,
  thrownBy,
} from "../scenarios/support.ts";
import { flagged, policy, saying } from "./banking.ts";
import { approve, once, openLife, playLife, shownIn, waiting } from "./support.ts";

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

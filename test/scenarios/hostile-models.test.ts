import {
  type Args,
  chain,
  type Delta,
  dedup,
  type Model,
  parallel,
  reportTool,
  type Session,
  type Tool,
  type Turn,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, type Stream } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deep } from "./hostile.ts";
import {
  ask,
  asks,
  finish,
  instant,
  lastShown,
  noted,
  open,
  play,
  playing,
  quiet,
  report,
} from "./support.ts";

/** A model whose turns are whatever the test says. */
function crooked(generate: (session: Session, turn: number) => Stream<Delta, Turn>): Model {
  const inner = scripted(() => []);
  let turns = 0;
  const wrap = (session: Session): Session => ({
    get tokens() {
      return session.tokens;
    },
    append: (messages) => session.append(messages),
    mark: () => session.mark(),
    rewind: (to) => session.rewind(to),
    *fork() {
      return wrap(yield* session.fork());
    },
    generate: () => generate(session, turns++),
  });
  return {
    id: "crooked",
    *open(prefix) {
      return wrap(yield* inner.open(prefix));
    },
  };
}

const saying = (turn: unknown): Stream<Delta, Turn> =>
  (function* () {
    return {
      *next() {
        return { done: true, value: turn as Turn };
      },
    };
  })() as unknown as Stream<Delta, Turn>;

const turnOf = (calls: unknown, more: object = {}) => ({
  calls,
  usage: { input: 1, output: 1, cached: 0 },
  finish: "calls",
  ...more,
});

describe("a hostile model", () => {
  const ends: [string, (session: Session, turn: number) => Stream<Delta, Turn>][] = [
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
    ],
    [
      "throws null",
      () => {
        throw null;
      },
    ],
    ["ends without a turn", () => saying(undefined)],
    ["ends with null", () => saying(null)],
    ["gives no stream", () => undefined as never],
    ["gives no calls at all", () => saying(turnOf(undefined))],
    ["gives a call that is null", () => saying(turnOf([null]))],
    ["gives no usage", () => saying(turnOf([], { usage: undefined, text: "hello", finish: "stop" }))],
    [
      "throws while it is read",
      () =>
        (function* () {
          return {
            *next() {
              throw new Error("torn");
            },
          };
        })() as never,
    ],
  ];
  for (const [how, generate] of ends)
    it(`that ${how} ends its agent as a model error, and nobody else`, () =>
      run(function* () {
        const { result } = yield* play({
          model: playing(ask("search"), report("fine")),
          tools: [instant("search")],
          terminal: reportTool,
          orchestrate: parallel(["a", { task: "b", model: crooked(generate) }, "c"]),
        });
        expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "model_error", "returned"]);
        expect(result.agents[1]!.reason).toBeTypeOf("string");
      }));

  const calls: [string, unknown][] = [
    ["an unknown tool", { id: "1", tool: "nothing", input: "{}" }],
    ["a tool without a name", { id: "1", tool: "", input: "{}" }],
    ["malformed JSON", { id: "1", tool: "search", input: '{"q":' }],
    ["no JSON at all", { id: "1", tool: "search", input: "please search" }],
    ["a list", { id: "1", tool: "search", input: "[1]" }],
    ["null", { id: "1", tool: "search", input: "null" }],
    ["a number", { id: "1", tool: "search", input: "7" }],
    ["arguments that are no text", { id: "1", tool: "search", input: { q: "x" } }],
    ["what does not fit the schema", { id: "1", tool: "search", input: '{"q":7}' }],
  ];
  for (const [what, call] of calls)
    it(`that calls with ${what} reads why, and no hook is asked`, () =>
      run(function* () {
        const asked: string[] = [];
        const search = instant("search", {
          hooks: { beforeDispatch: [{ name: "watch", decide: () => noted(asked, "asked", undefined) }] },
        });
        const { result } = yield* play({
          model: crooked((_, turn) =>
            saying(
              turn === 0
                ? turnOf([call])
                : turnOf([{ id: "r", tool: "report", input: '{"result":"went on"}' }]),
            ),
          ),
          tools: [search],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(search.asked).toEqual([]);
        expect(asked).toEqual([]);
        expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on", toolCallCount: 0 });
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "invalid" }]);
      }));

  it("that names __proto__ in its arguments changes no prototype", () =>
    run(function* () {
      const asked: Args[] = [];
      for (const parameters of [
        z.object({ q: z.string().optional() }),
        z.looseObject({}),
        { type: "object" },
        { type: "object", properties: { nested: { type: "object" } } },
      ] as Tool["parameters"][]) {
        const tool: Tool = {
          name: "search",
          description: "",
          parameters,
          execute: (args) => noted(asked, args, "found"),
        };
        yield* play({
          model: playing(
            ask(
              "search",
              '{"__proto__":{"polluted":true},"nested":{"__proto__":{"polluted":true}},"constructor":{"prototype":{"polluted":true}}}',
            ),
            report(),
          ),
          tools: [{ ...tool, hooks: { beforeDispatch: [dedup("d", (args) => args)] } }],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
      }
      expect(asked).toHaveLength(4);
      for (const args of asked) {
        expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
        expect(args.polluted).toBeUndefined();
        expect((args.nested as Args | undefined)?.polluted).toBeUndefined();
      }
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    }));

  it("that sends a megabyte of arguments is served", () =>
    run(function* () {
      const q = "x".repeat(1_000_000);
      const search = instant("search", {
        hooks: { beforeDispatch: [dedup("once", (args) => args.q)] },
        execute: (args) => String(args.q).length,
      });
      const { result } = yield* play({
        model: playing(ask("search", { q }), ask("search", { q }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ toolCallCount: 1, attendedCount: 1 });
    }));

  // must hold: hostile input never ends an agent: the call is answered as one that cannot be read
  it("that nests its arguments far too deep is told so", () =>
    run(function* () {
      const tool: Tool = {
        name: "search",
        description: "",
        parameters: { type: "object" },
        execute: () => "found",
      };
      const { result } = yield* play({
        model: playing(ask("search", `{"a":${deep(100_000)}}`), report("went on")),
        tools: [tool],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", result: "went on" });
    }));

  it("that calls a thousand tools in a turn is held to its limit", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = playing(
        asks(...Array.from({ length: 1_000 }, (_, n) => ["search", { q: `${n}` }] as const)),
        report("some"),
      );
      const { result } = yield* play({
        model,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toHaveLength(50);
      expect(result.agents[0]).toMatchObject({ exit: "max_calls", result: "some", toolCallCount: 50 });
      expect(result.agents[0]!.refusals).toHaveLength(950);
    }));

  it("that calls thousands of tools in a turn, each thought about for a while, is held to its limit", () =>
    run(function* () {
      const search = instant("search", {
        hooks: { beforeDispatch: [{ name: "thinks", decide: async () => undefined }] },
      });
      const model = playing(
        asks(...Array.from({ length: 6_000 }, (_, n) => ["search", { q: `${n}` }] as const)),
        report("some"),
      );
      const { result } = yield* play({
        model,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_calls", result: "some", toolCallCount: 50 });
    }));

  it("that gives two calls one id has each of them answered", () =>
    run(function* () {
      const search = instant("search");
      const model = scripted(() => [
        {
          calls: [
            { tool: "search", args: { q: "1" }, id: "same" },
            { tool: "search", args: { q: "2" }, id: "same" },
          ],
        },
        report(),
      ]);
      yield* play({ model, tools: [search], terminal: reportTool, orchestrate: parallel(["a"]) });
      expect(lastShown(model, "agent/0").map(({ id, value }) => [id, value])).toEqual([
        ["same", { answer: "1" }],
        ["same", { answer: "2" }],
      ]);
    }));

  it("that says nothing, turn after turn, is stopped at its limit", () =>
    run(function* () {
      const { result } = yield* play({
        model: scripted(
          () =>
            ({ request }) =>
              typeof request.toolChoice === "object" ? report("nothing") : {},
        ),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "max_turns", turns: 10, result: "nothing" });
    }));

  it("that refuses is an agent that failed, in the model's words", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing({ text: "I would rather not.", finish: "refusal" }),
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]).toMatchObject({
        exit: "model_error",
        reason: expect.stringContaining("rather not"),
      });
    }));

  it("that is cut off in the middle of its words is asked to be shorter", () =>
    run(function* () {
      const model = playing({ text: "and then", finish: "length" }, report("short"));
      const { result } = yield* play({
        model,
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.result).toBe("short");
      expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toMatch(/cut off/);
    }));

  it("that is cut off after whole calls has those run", () =>
    run(function* () {
      const search = instant("search");
      yield* play({
        model: playing({ ...ask("search", { q: "x" }), finish: "length" }, report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toEqual(["x"]);
    }));

  it("that announces a call and then fails has nothing run", () =>
    run(function* () {
      const search = instant("search");
      const torn = crooked(
        () =>
          (function* () {
            let said = false;
            return {
              *next() {
                if (said) throw new Error("torn");
                said = true;
                return { done: false, value: { type: "call", id: "1", tool: "search" } };
              },
            };
          })() as never,
      );
      const { result } = yield* play({
        model: torn,
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(search.asked).toEqual([]);
      expect(result.agents[0]).toMatchObject({ exit: "model_error", reason: "torn" });
    }));

  it("that goes on for ever can be cancelled", () =>
    run(function* () {
      const endless = crooked(
        () =>
          (function* () {
            return {
              *next() {
                yield* quiet;
                return { done: false, value: { type: "text", text: "and " } };
              },
            };
          })() as never,
      );
      const rig = yield* open({
        model: endless,
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      expect(yield* rig.handle.cancel("agent/0")).toBe(true);
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      expect(rig.handle.inspect().permits.generations).toBe(0);
    }));

  it("whose session cannot be appended to ends its agent alone", () =>
    run(function* () {
      const inner = playing(ask("search"), report());
      let appends = 0;
      const model: Model = {
        id: "full",
        *open(prefix) {
          const wrap = (session: Session): Session => ({
            get tokens() {
              return session.tokens;
            },
            append: (messages) => {
              if (appends++ === 1) throw new Error("disk full");
              return session.append(messages);
            },
            mark: () => session.mark(),
            rewind: (to) => session.rewind(to),
            *fork() {
              return wrap(yield* session.fork());
            },
            generate: (request) => session.generate(request),
          });
          return wrap(yield* inner.open(prefix));
        },
      };
      const { result } = yield* play({
        model,
        tools: [instant("search")],
        terminal: reportTool,
        orchestrate: chain(["a", "b"]),
      });
      expect(result.agents.map(({ exit, reason }) => [exit, reason])).toEqual([
        ["model_error", "disk full"],
        ["returned", undefined],
      ]);
    }));
});

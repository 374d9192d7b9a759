import {
  agentPool,
  ConfigurationError,
  chain,
  dedup,
  type Model,
  type PoolContext,
  parallel,
  reportTool,
  type Session,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { type Operation, resource, run } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  basics,
  casting,
  finish,
  held,
  instant,
  ofType,
  open,
  play,
  playing,
  quiet,
  report,
  shown,
  textOf,
  thrownBy,
} from "./support.ts";

describe("a task", () => {
  it("may have instructions of its own, beside the pool's", () =>
    run(function* () {
      const model = playing(report());
      yield* play({
        ...basics(),
        model,
        system: "Be brief.",
        orchestrate: parallel([{ task: "a", system: "In verse." }, "b"]),
      });
      const [a, b] = model.requests.map(({ messages }) => textOf(messages));
      expect(a).toMatch(/Be brief\..*In verse\./);
      expect(b).toContain("Be brief.");
      expect(b).not.toContain("In verse.");
    }));

  it("may have some of the pool's tools, and always its terminal tool", () =>
    run(function* () {
      const [search, shell] = [instant("search"), instant("shell")];
      const model = playing(ask("shell"), report());
      const { result } = yield* play({
        tools: [search, shell],
        terminal: reportTool,
        model,
        orchestrate: parallel([{ task: "a", tools: ["search"] }]),
      });
      expect(shell.asked).toEqual([]);
      expect(model.requests[0]!.request.tools).toEqual(["search", "report"]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "shell", guard: "invalid" }]);
    }));

  it("with a tool the pool does not have is an error that names the nearest", () =>
    run(function* () {
      const error = yield* thrownBy(
        play({
          ...basics(),
          model: playing(report()),
          orchestrate: parallel([{ task: "a", tools: ["serch"] }]),
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/"agent\/0".*"serch".*did you mean "search"/);
    }));

  it("may run on another model, in a conversation of its own that starts with what the spine was extended with", () =>
    run(function* () {
      const [here, there] = [playing(report("plan")), playing(report("there"))];
      const { result } = yield* play({
        ...basics(),
        model: here,
        system: "Be brief.",
        orchestrate: chain(["a", { task: "b", model: there }]),
      });
      expect(result.agents.map(({ result }) => result)).toEqual(["plan", "there"]);
      expect(textOf(there.requests[0]!.messages)).toMatch(/Be brief\..*plan.*b/);
    }));

  it("may have a smaller budget", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: scripted(
          () =>
            ({ request }) =>
              typeof request.toolChoice === "object" ? report("r") : ask("search"),
        ),
        budget: { maxTurns: 3 },
        orchestrate: parallel([
          { task: "a", budget: { maxTurns: 1 } },
          { task: "b", budget: { maxToolCalls: 2 } },
          "c",
        ]),
      });
      expect(result.agents.map(({ exit, turns, toolCallCount }) => [exit, turns, toolCallCount])).toEqual([
        ["max_turns", 1, 1],
        ["max_calls", 3, 2],
        ["max_turns", 3, 3],
      ]);
    }));

  // must hold: a limit that is none is an error that says what is accepted, wherever it is written
  for (const budget of [
    { maxTurns: 0 },
    { maxTurns: Number.NaN },
    { maxToolCalls: -1 },
    { maxTurns: "2" as never },
  ])
    it(`with a budget that is none is a configuration error: ${JSON.stringify(budget)}`, () =>
      run(function* () {
        const error = yield* thrownBy(
          play({
            ...basics(),
            model: scripted(() => [ask("search"), ask("search"), ask("search"), report()]),
            orchestrate: parallel([{ task: "a", budget }]),
          }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
      }));

  for (const task of ["", "  ", undefined, 7, null, {}])
    it(`that is no text is an error: ${JSON.stringify(task)}`, () =>
      run(function* () {
        const error = yield* thrownBy(
          play({ ...basics(), model: playing(report()), orchestrate: parallel([{ task: task as string }]) }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain("task");
      }));

  it("may fork from another agent: its conversation, its reads and its key as the parent", () =>
    run(function* () {
      const search = instant("search", { hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] } });
      const model = casting({
        first: [ask("search", { q: "x" }), report("1")],
        second: [ask("search", { q: "x" }), report("2")],
      });
      const { result, events } = yield* play({
        tools: [search],
        terminal: reportTool,
        model,
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents[1]).toMatchObject({ parent: "agent/first", toolCallCount: 0 });
      expect(search.asked).toEqual(["x"]);
      expect(shown(model.requestsOf("agent/second")[0]!.messages).map(({ tool }) => tool)).toEqual([
        "search",
        "report",
      ]);
      expect(ofType(events, "agent:spawned")[1]).toMatchObject({ parent: "agent/first" });
    }));

  it("cannot fork from an agent of another run, nor change the model with a parent", () =>
    run(function* () {
      let stranger: Parameters<PoolContext["waitFor"]>[0] | undefined;
      yield* play({
        ...basics(),
        model: playing(report()),
        *orchestrate(pool) {
          stranger = yield* pool.spawn("x");
          yield* pool.waitFor(stranger);
        },
      });
      const model = playing(report());
      const foreign = yield* thrownBy(
        play({ ...basics(), model, orchestrate: parallel([{ task: "y", parent: stranger! }]) }),
      );
      expect(String(foreign)).toMatch(/parent of "agent\/0" is not an agent of this run/);
      const both = yield* thrownBy(
        play({
          ...basics(),
          model,
          *orchestrate(pool) {
            const first = yield* pool.spawn("x");
            yield* pool.spawn({ task: "y", parent: first, model });
          },
        }),
      );
      expect(String(both)).toMatch(/parent and another model/);
    }));

  // must hold: a session lives as long as somebody may fork from it, whatever the model holds on to
  it("may fork from an agent that is over, also where a session is released with its scope", () =>
    run(function* () {
      const { result } = yield* play({
        ...basics(),
        model: strict(casting({ first: [report("1")], second: [report("2")] })),
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents[1]).toMatchObject({ exit: "returned", reason: undefined });
    }));

  it("leaves its session at rest once it is over: what it held may go to others, and it can be forked still", () =>
    run(function* () {
      const log: string[] = [];
      const inner = casting({ first: [report("1")], second: [report("2")] });
      const resting = (session: Session, name: string): Session => ({
        get tokens() {
          return session.tokens;
        },
        append: (messages) => session.append(messages),
        mark: () => session.mark(),
        rewind: (to) => session.rewind(to),
        generate: (request) => session.generate(request),
        *fork() {
          log.push(`${name} forked`);
          return resting(yield* session.fork(), `${name}+`);
        },
        *rest() {
          log.push(`${name} rests`);
        },
      });
      const { result } = yield* play({
        ...basics(),
        model: {
          id: "resting",
          *open(prefix) {
            return resting(yield* inner.open(prefix), "spine");
          },
        },
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first" });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
      });
      expect(result.agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
      expect(log).toEqual(expect.arrayContaining(["spine forked", "spine+ rests", "spine+ forked"]));
    }));

  it("cannot fork from an agent that was never shown its tools: that is an error that names one", () =>
    run(function* () {
      const thrown: unknown[] = [];
      const nest = instant("nest", {
        *execute(_args, { agent }) {
          try {
            yield* agentPool({
              tools: [instant("new")],
              *orchestrate(pool) {
                yield* pool.spawn({ task: "child", key: "child", parent: agent });
              },
            });
          } catch (error) {
            thrown.push(error);
          }
          return "done";
        },
      });
      yield* play({
        ...basics(),
        tools: [nest],
        model: playing(ask("nest"), report()),
        orchestrate: parallel(["boss"]),
      });
      expect(String(thrown[0])).toContain('is of a pool without the tool "new"');
    }));

  it("that forks from one on another model is on that model: its window and its price count", () =>
    run(function* () {
      const search = instant("search", { execute: () => "x".repeat(8_000) });
      const small = scripted(() => [ask("search"), report()], { contextWindow: 1_000, id: "small" });
      const { events } = yield* play({
        ...basics(),
        tools: [search],
        *orchestrate(pool) {
          const first = yield* pool.spawn({ task: "first", key: "first", model: small });
          yield* pool.waitFor(first);
          yield* pool.waitFor(yield* pool.spawn({ task: "second", key: "second", parent: first }));
        },
        model: playing(report()),
      });
      const cut = small.requestsOf("agent/second").map(({ messages }) => JSON.stringify(messages).length);
      expect(Math.max(...cut)).toBeLessThan(8_000);
      expect(ofType(events, "agent:ended").map(({ agent }) => agent)).toEqual([
        "agent/first",
        "agent/second",
      ]);
    }));

  it("forks as its parent stood when it was asked for, also where forking takes a while", () =>
    run(function* () {
      const gate = held("gate");
      const search = instant("search");
      const model = casting({
        parent: [
          ask("gate", { q: "1" }),
          ask("search", { q: "read meanwhile" }),
          ask("gate", { q: "2" }),
          report(),
        ],
        child: [report("forked")],
      });
      let forking = 0;
      const slow = slowFork(model, () => forking++ === 1);
      const rig = yield* open({
        tools: [gate, search],
        terminal: reportTool,
        model: slow.model,
        *orchestrate(pool) {
          const parent = yield* pool.spawn({ task: "parent", key: "parent" });
          while (gate.running.length === 0) yield* quiet;
          const child = yield* pool.spawn({ task: "child", key: "child", parent });
          yield* pool.waitFor(child);
        },
      });
      yield* quiet;
      gate.held("1").succeed();
      yield* quiet;
      expect(gate.held("2").q).toBe("2");
      slow.release();
      const { agents } = yield* finish(rig);
      expect(agents[1]).toMatchObject({ exit: "returned", result: "forked", reason: undefined });
    }));
});

/** A model whose sessions may not be used once the scope they were opened in has ended. */
function strict(inner: Model): Model {
  const guarded = (open: Operation<Session>): Operation<Session> =>
    resource(function* (provide) {
      const session = yield* open;
      let released = false;
      const use = (): Session => {
        if (released) throw new Error("this session was released");
        return session;
      };
      try {
        yield* provide({
          get tokens() {
            return use().tokens;
          },
          append: (messages) => use().append(messages),
          mark: () => use().mark(),
          rewind: (to) => use().rewind(to),
          fork: () => guarded(use().fork()),
          generate: (request) => use().generate(request),
        });
      } finally {
        released = true;
      }
    });
  return { id: "strict", open: (prefix) => guarded(inner.open(prefix)) };
}

/** A model one of whose forks takes until it is released. */
function slowFork(inner: Model, slow: () => boolean): { readonly model: Model; release(): void } {
  const gates: (() => void)[] = [];
  const wrap = (session: Session): Session => ({
    get tokens() {
      return session.tokens;
    },
    append: (messages) => session.append(messages),
    mark: () => session.mark(),
    rewind: (to) => session.rewind(to),
    generate: (request) => session.generate(request),
    *fork() {
      const forked = yield* session.fork();
      if (slow()) {
        let open = false;
        gates.push(() => {
          open = true;
        });
        while (!open) yield* quiet;
      }
      return wrap(forked);
    },
  });
  return {
    model: {
      id: "slow",
      *open(prefix) {
        return wrap(yield* inner.open(prefix));
      },
    },
    release: () => {
      for (const open of gates) open();
    },
  };
}

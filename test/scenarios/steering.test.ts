import {
  type AgentPoolOptions,
  agentPool,
  dedup,
  delegate,
  manualClock,
  type PoolEvent,
  type PoolHandle,
  parallel,
  reportTool,
  sleepOn,
  type Tool,
  ToolRetryError,
  useAgentPool,
  useClock,
} from "@agentpool/core";
import { type ScriptedModel, scripted } from "@agentpool/models";
import { type Operation, run, scoped, spawn, suspend, until } from "effection";
import { describe, expect, it } from "vitest";
import {
  ask,
  asks,
  casting,
  finish,
  held,
  instant,
  leftovers,
  noted,
  ofType,
  open,
  play,
  playing,
  quiet,
  type Rig,
  report,
  unanswered,
} from "./support.ts";

describe("winding down", () => {
  it("withdraws what is parked, lets what runs end, and has everyone report what there is", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: casting({
          running: [ask("search", { q: "r" }), report("had r")],
          parked: [ask("search", { q: "p" }), report("had nothing")],
          limited: [ask("search", { q: "l" }), { error: { limited: 99_000 } }, report("never")],
        }),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["running", "parked", "limited"]),
      });
      search.held("p").fail(new ToolRetryError("429", 60_000));
      search.held("l").succeed();
      yield* quiet;
      expect(rig.handle.inspect().parked).toBe(2);
      rig.handle.windDown();
      yield* quiet;
      expect(rig.handle.inspect().parked).toBe(0);
      expect(search.running.map(({ q }) => q)).toEqual(["r"]);
      search.held("r").succeed();
      const { agents } = yield* finish(rig);
      expect(rig.clock.now()).toBe(0);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "cancelled", "cancelled"]);
      expect(agents.slice(0, 2).map(({ result }) => result)).toEqual(["had r", "had nothing"]);
    }));

  // must hold: no turn starts once the run winds down, but that for a report
  it("gives agents that have not had a turn nothing to do", () =>
    run(function* () {
      const model = playing({ wait: 1_000, ...report("first") });
      const rig = yield* open({
        model,
        tools: [],
        terminal: reportTool,
        budget: { concurrentGenerations: 1 },
        orchestrate: parallel(["a", "b", "c"]),
      });
      expect(model.requests).toHaveLength(1);
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", result: "first" });
      expect(agents.slice(1).map(({ exit, turns }) => [exit, turns])).toEqual([
        ["cancelled", 0],
        ["cancelled", 0],
      ]);
      expect(model.requests).toHaveLength(1);
    }));

  // must hold: no call starts once the run winds down
  it("starts no call of a turn that was being generated", () =>
    run(function* () {
      const search = instant("search");
      const rig = yield* open({
        model: playing({ wait: 1_000, ...ask("search", { q: "x" }) }, report("stopped")),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(search.asked).toEqual([]);
      expect(agents[0]).toMatchObject({ exit: "cancelled", toolCallCount: 0, result: "stopped" });
      expect(ofType(rig.events, "call:withdrawn")).toHaveLength(1);
    }));

  // must hold: no call starts once the run winds down
  it("starts no call that waits behind a barrier", () =>
    run(function* () {
      const write = held("write", { parallel: false });
      const rig = yield* open({
        model: playing(asks(["write", { q: "1" }], ["write", { q: "2" }]), report("half")),
        tools: [write],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      write.held("1").succeed();
      const { agents } = yield* finish(rig);
      expect(write.calls).toHaveLength(1);
      expect(agents[0]).toMatchObject({ exit: "cancelled", toolCallCount: 1, result: "half" });
    }));

  // must hold: no call starts once the run winds down
  it("starts no call that a guard still thinks about", () =>
    run(function* () {
      let answer: () => void = () => {};
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "thinks",
              decide: () =>
                new Promise<undefined>((yes) => {
                  answer = () => yes(undefined);
                }),
            },
          ],
        },
      });
      const rig = yield* open({
        model: playing(ask("search"), report("stopped")),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      answer();
      yield* finish(rig);
      expect(search.asked).toEqual([]);
    }));

  it("reaches the pools inside calls, whose agents report to calls that end", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["help"] }), report("with help")]
            : [ask("search", { q: "x" }), report("helped")],
        ),
        tools: [search, delegate()],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      rig.handle.windDown();
      search.held("x").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "cancelled", result: "with help", attendedCount: 1 });
      expect(ofType(rig.events, "agent:ended")[0]!.result).toMatchObject({
        exit: "cancelled",
        result: "helped",
      });
    }));

  it("of a pool inside a call ends that pool alone", () =>
    run(function* () {
      let inner: PoolHandle | undefined;
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss" ? [ask("work"), report("boss")] : [ask("search", { q: "x" }), report("helped")],
        ),
        tools: [
          search,
          instant("work", {
            *execute() {
              inner = yield* useAgentPool({ orchestrate: parallel(["help"]) });
              return (yield* inner.result).agents.map(({ exit, result }) => [exit, result]);
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      inner!.windDown();
      search.held("x").succeed();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", result: "boss" });
    }));

  it("twice is winding down once, and after the end it is nothing", () =>
    run(function* () {
      const rig = yield* open({
        model: playing({ error: { limited: 1_000 } }, report()),
        tools: [],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      rig.handle.windDown();
      yield* finish(rig);
      rig.handle.windDown();
      rig.handle.pause();
      rig.handle.resume();
      expect(leftovers(rig)).toEqual([]);
    }));

  // must hold: winding down ends a paused pool: nobody has to resume it first
  it("ends a pool that is paused", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ key }) => [ask("search", { q: key }), report("part")]),
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      rig.handle.pause();
      search.running[0]!.succeed();
      yield* quiet;
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit, result }) => [exit, result])).toEqual([
        ["cancelled", "part"],
        ["cancelled", "part"],
      ]);
    }));

  // must hold: a return is rejected only where there is a turn left to do better
  it("lets a return stand that a hook would have rejected: there is no turn left to do better", () =>
    run(function* () {
      const rig = yield* open({
        model: playing({ wait: 1_000, ...report("what I have") }),
        tools: [instant("search")],
        terminal: reportTool,
        hooks: [{ onReturn: () => ({ type: "reject", message: "more" }) }],
        orchestrate: parallel(["a"]),
      });
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.result).toBe("what I have");
    }));

  it("lets an orchestrator that goes on spawn agents that end at once", () =>
    run(function* () {
      const model = playing({ wait: 10, ...report("only") });
      const rig = yield* open({
        model,
        tools: [],
        terminal: reportTool,
        *orchestrate(pool) {
          for (const task of ["a", "b", "c"]) yield* pool.waitFor(yield* pool.spawn(task));
        },
      });
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["returned", "cancelled", "cancelled"]);
      expect(model.requests).toHaveLength(1);
    }));
});

describe("pausing", () => {
  it("lets what runs finish and starts nothing more until it is resumed", () =>
    run(function* () {
      const search = held("search");
      const model = scripted(({ key }) => [
        asks(["search", { q: `${key} 1` }], ["search", { q: `${key} 2` }]),
        report(),
      ]);
      const rig = yield* open({
        model,
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a"]),
      });
      rig.handle.pause();
      search.held("agent/0 1").succeed();
      yield* quiet;
      expect(search.running).toEqual([]);
      rig.handle.resume();
      yield* quiet;
      rig.handle.pause();
      search.held("agent/0 2").succeed();
      yield* quiet;
      expect(model.requests).toHaveLength(1);
      rig.handle.resume();
      const { agents } = yield* finish(rig);
      expect(agents[0]!.attendedCount).toBe(2);
    }));

  it("lets no retry run that falls due meanwhile", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: playing(ask("search", { q: "x" }), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      search.held("x").fail(new ToolRetryError("429", 100));
      yield* quiet;
      rig.handle.pause();
      rig.clock.advance(1_000);
      yield* quiet;
      expect(search.running).toEqual([]);
      rig.handle.resume();
      yield* quiet;
      search.held("x").succeed();
      yield* finish(rig);
    }));

  it("lets agents be cancelled, and halted with everything", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ key }) => [ask("search", { q: key }), report()]),
        tools: [search],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["a", "b"]),
      });
      rig.handle.pause();
      yield* rig.handle.cancel("agent/0");
      yield* quiet;
      expect(search.running).toEqual([]);
      yield* rig.handle.cancel("agent/1");
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "cancelled"]);
    }));

  it("holds up a pool inside a call too, whose call goes on when it is resumed", () =>
    run(function* () {
      const search = held("search");
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss"
            ? [ask("delegate", { tasks: ["help"] }), report("boss")]
            : [ask("search", { q: "x" }), report()],
        ),
        tools: [search, delegate()],
        terminal: reportTool,
        budget: { concurrentTools: 1 },
        orchestrate: parallel(["boss"]),
      });
      rig.handle.pause();
      search.held("x").succeed();
      for (let turn = 0; turn < 3; turn++) yield* quiet;
      expect(ofType(rig.events, "agent:ended")).toEqual([]);
      rig.handle.resume();
      expect((yield* finish(rig)).agents[0]!.result).toBe("boss");
    }));
});

describe("cancelling from inside", () => {
  it("by a tool of its own agent ends the agent", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const rig = yield* open({
        model: playing(ask("stop"), report()),
        tools: [
          instant("stop", {
            *execute(_args, { agent }) {
              yield* quiet;
              yield* handle!.cancel(agent.key);
              return "never";
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a", "b"]),
      });
      handle = rig.handle;
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "cancelled"]);
    }));

  it("by a tool of another agent ends the other alone", () =>
    run(function* () {
      const search = held("search");
      let handle: PoolHandle | undefined;
      const rig = yield* open({
        model: casting({ a: [ask("search", { q: "x" }), report()], b: [ask("stop"), report("stopped it")] }),
        tools: [
          search,
          instant("stop", {
            *execute() {
              yield* quiet;
              return yield* handle!.cancel("agent/0");
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["a", "b"]),
      });
      handle = rig.handle;
      const { agents } = yield* finish(rig);
      expect(agents.map(({ exit }) => exit)).toEqual(["cancelled", "returned"]);
      expect(search.calls[0]!.state).toBe("halted");
    }));

  it("by a guard ends the agent, and the call does not run", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const search = instant("search", {
        hooks: {
          beforeDispatch: [
            {
              name: "stops",
              *decide({ agent }) {
                yield* quiet;
                yield* handle!.cancel(agent.key);
                return undefined;
              },
            },
          ],
        },
      });
      const rig = yield* open({
        model: playing(ask("search"), report()),
        tools: [search],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      handle = rig.handle;
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      expect(search.asked).toEqual([]);
    }));

  it("of a helper's caller by the helper ends both", () =>
    run(function* () {
      let handle: PoolHandle | undefined;
      const rig = yield* open({
        model: scripted(({ task }) =>
          task === "boss" ? [ask("delegate", { tasks: ["help"] }), report()] : [ask("stop"), report()],
        ),
        tools: [
          delegate(),
          instant("stop", {
            *execute() {
              yield* quiet;
              yield* handle!.cancel("agent/0");
              return "never";
            },
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["boss"]),
      });
      handle = rig.handle;
      expect((yield* finish(rig)).agents[0]!.exit).toBe("cancelled");
      expect(ofType(rig.events, "agent:ended")).toHaveLength(2);
    }));

  it("twice at once is one end", () =>
    run(function* () {
      const rig = yield* open({
        model: playing(ask("search", { q: "x" })),
        tools: [held("search")],
        terminal: reportTool,
        orchestrate: parallel(["a"]),
      });
      const both = [
        yield* spawn(() => rig.handle.cancel("agent/0")),
        yield* spawn(() => rig.handle.cancel("agent/0")),
      ];
      for (const one of both) yield* one;
      yield* finish(rig);
      expect(ofType(rig.events, "agent:ended")).toHaveLength(1);
    }));

  it("waits until the tool has cleaned up, and then its equal call may run", () =>
    run(function* () {
      const log: string[] = [];
      const clock = manualClock();
      const slowToLeave = instant("search", {
        hooks: { beforeDispatch: [dedup("once", ({ q }) => q)] },
        *execute(_args, { agent }): Operation<unknown> {
          log.push(`${agent.key} in`);
          yield* scoped(function* () {
            const { ensure } = yield* until(import("effection"));
            yield* ensure(function* () {
              yield* sleepOn(clock, 1_000);
              log.push(`${agent.key} out`);
            });
            if (agent.key === "agent/0") yield* suspend();
          });
          return "found";
        },
      });
      const rig = yield* open({
        clock,
        model: playing(ask("search", { q: "x" }), report()),
        tools: [slowToLeave],
        terminal: reportTool,
        guards: { once: { scope: "cohort" } },
        orchestrate: parallel(["a", "b"]),
      });
      yield* quiet;
      const cancelling = yield* spawn(() => rig.handle.cancel("agent/0"));
      yield* quiet;
      expect(log).toEqual(["agent/0 in"]);
      rig.clock.advance(1_000);
      yield* cancelling;
      yield* finish(rig);
      expect(log).toEqual(["agent/0 in", "agent/0 out", "agent/1 in", "agent/1 out"]);
    }));
});

/** A small world with a bit of everything: equal calls, retries, delegates, thinking guards, and few permits. */
function world(): {
  readonly options: Omit<AgentPoolOptions, "clock">;
  readonly model: ScriptedModel;
  readonly bodies: { now: number; most: number };
} {
  const bodies = { now: 0, most: 0 };
  const once = { beforeDispatch: [dedup("once", ({ q }) => q)] };
  const timed = (name: string, ms: number, more: Partial<Tool> = {}): Tool =>
    instant(name, {
      hooks: once,
      *execute({ q }, { attempt }) {
        bodies.now++;
        bodies.most = Math.max(bodies.most, bodies.now);
        try {
          yield* sleepOn(yield* useClock(), ms);
          if (String(q).startsWith("busy") && attempt === 0) throw new ToolRetryError("429", 30);
          if (String(q).startsWith("bad")) throw new Error("down");
          return { q };
        } finally {
          bodies.now--;
        }
      },
      ...more,
    });
  const model = scripted(({ task, key }) => {
    if (task === "boss")
      return [
        asks(["read", { q: "same" }], ["think", { q: "busy" }], ["read", { q: key }]),
        asks(["delegate", { tasks: ["help"] }], ["read", { q: "bad" }], ["read", { q: "same" }]),
        { error: { limited: 20 } },
        report(`by ${key}`),
      ];
    return [asks(["read", { q: "same" }], ["read", { q: "busy too" }]), report("helped")];
  });
  return {
    bodies,
    model,
    options: {
      model,
      tools: [
        timed("read", 10),
        timed("think", 5, {
          hooks: {
            beforeDispatch: [
              {
                name: "thinks",
                *decide({ attended }) {
                  attended();
                  yield* sleepOn(yield* useClock(), 7);
                  return undefined;
                },
              },
            ],
          },
        }),
        delegate(),
      ],
      terminal: reportTool,
      guards: { once: { scope: "cohort" } },
      budget: { concurrentTools: 2, concurrentGenerations: 1 },
      orchestrate: parallel(["boss", "boss"]),
    },
  };
}

function grouped<T>(items: readonly T[], by: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return groups;
}

const FINAL = new Set([
  "call:settled",
  "call:refused",
  "call:cancelled",
  "call:withdrawn",
  "call:substituted",
]);

/** Every so manieth event is disturbed; 1 disturbs at every one. */
const STRIDE = Number(process.env.SCENARIO_STRIDE ?? 9);

/** What must hold of a world whatever was done to it, in words where it does not. */
function wrongs(rig: Rig, model: ScriptedModel, bodies: { now: number; most: number }): string[] {
  const wrong = leftovers(rig);
  if (bodies.now !== 0) wrong.push(`${bodies.now} bodies still run`);
  if (bodies.most > 2) wrong.push(`${bodies.most} bodies ran at once`);
  for (const { key, turn, messages } of model.requests)
    for (const id of unanswered(messages))
      wrong.push(`${key} was shown in turn ${turn} an unanswered call: ${id}`);
  const live = new Set<string>();
  const succeeded = new Map<string, string>();
  const finals = new Map<string, number>();
  for (const event of rig.events) {
    if (event.type === "agent:spawned") live.add(event.agent);
    if (event.type === "agent:ended") live.delete(event.agent);
    else if ("agent" in event && event.agent !== undefined && !live.has(event.agent))
      wrong.push(`${event.type} of ${event.agent}, which is not alive`);
    if (FINAL.has(event.type) && "call" in event && event.call)
      finals.set(event.call, (finals.get(event.call) ?? 0) + 1);
    if (event.type === "call:admitted" && event.attended) {
      const dispatched = rig.events.find(
        (other) => other.type === "call:dispatched" && other.call === event.call,
      );
      const what =
        dispatched?.type === "call:dispatched" ? `${dispatched.tool} ${String(dispatched.args.q)}` : "";
      if (what.startsWith("read")) {
        if (succeeded.has(what)) wrong.push(`${what} was read by ${succeeded.get(what)} and ${event.call}`);
        succeeded.set(what, event.call);
      }
    }
  }
  for (const [call, times] of finals) if (times > 1) wrong.push(`${call} ended ${times} times`);
  if (live.size > 0) wrong.push(`never ended: ${[...live].join(", ")}`);
  return wrong;
}

describe("whatever is done to a pool, and whenever", () => {
  const actions: { readonly [what: string]: (handle: PoolHandle) => Operation<unknown> } = {
    "cancelling an agent": (handle) => handle.cancel("agent/0"),
    "cancelling the other agent": (handle) => handle.cancel("agent/1"),
    *"winding down"(handle) {
      handle.windDown();
    },
    *"pausing for a while"(handle) {
      handle.pause();
      yield* quiet;
      handle.resume();
    },
    *"pausing, then winding down"(handle) {
      handle.pause();
      yield* quiet;
      handle.windDown();
    },
    *"winding down, then cancelling"(handle) {
      handle.windDown();
      yield* handle.cancel("agent/1");
    },
    *"cancelling both"(handle) {
      yield* handle.cancel("agent/0");
      yield* handle.cancel("agent/1");
    },
  };

  it("undisturbed it ends as it should", () =>
    run(function* () {
      const { options, model, bodies } = world();
      const rig = yield* play(options);
      expect(wrongs(rig, model, bodies)).toEqual([]);
      expect(rig.result.agents.map(({ exit }) => exit)).toEqual(["returned", "returned"]);
    }));

  /** Runs the world and does something when so many events have happened, as an observer would; false: too late. */
  function* disturbed(
    at: number,
    act: (handle: PoolHandle) => Operation<unknown>,
  ): Operation<string[] | undefined> {
    return yield* scoped(function* () {
      const { options, model, bodies } = world();
      let count = 0;
      let due = false;
      const rig = yield* open({
        ...options,
        onEvent: () => {
          count++;
          due ||= count === at;
        },
      });
      for (let step = 0; !rig.outcome.result && !("error" in rig.outcome); step++) {
        if (due) {
          due = false;
          const acting = yield* spawn(() => act(rig.handle));
          yield* quiet;
          for (let wait = 0; wait < 50; wait++) {
            if (rig.clock.step()) yield* quiet;
            else break;
          }
          yield* acting;
        }
        if (rig.outcome.result) break;
        if (!rig.clock.step()) {
          yield* quiet;
          if (!rig.outcome.result) return ["stuck", JSON.stringify(rig.handle.inspect())];
        }
        yield* quiet;
        if (step > 2_000) return ["goes on for ever"];
      }
      if ("error" in rig.outcome) return [`failed: ${String(rig.outcome.error)}`];
      return count < at ? undefined : wrongs(rig, model, bodies);
    });
  }

  // must hold: winding down ends a paused pool
  for (const [what, act] of Object.entries(actions))
    it(`${what} after any event leaves nothing wrong`, () =>
      run(function* () {
        const found: [number, string[]][] = [];
        for (let at = 1 + (what.length % STRIDE); ; at += STRIDE) {
          const wrong = yield* disturbed(at, act);
          if (wrong === undefined) break;
          if (wrong.length > 0) found.push([at, wrong]);
          if (at > 400) throw new Error("too many events");
        }
        expect(found).toEqual([]);
      }));

  it("from within an observer winding down leaves nothing wrong, at any event", () =>
    run(function* () {
      const found: [number, string[]][] = [];
      for (let at = 2; ; at += STRIDE) {
        const { options, model, bodies } = world();
        let count = 0;
        let handle: PoolHandle | undefined;
        const rig = yield* scoped(function* () {
          const rig = yield* open({
            ...options,
            onEvent: () => {
              if (++count === at) handle?.windDown();
            },
            *orchestrate(pool) {
              while (!handle) yield* quiet;
              yield* options.orchestrate(pool);
            },
          });
          handle = rig.handle;
          yield* finish(rig);
          return rig;
        });
        if (count < at) break;
        const wrong = wrongs(rig, model, bodies);
        if (wrong.length > 0) found.push([at, wrong]);
      }
      expect(found).toEqual([]);
    }));

  it("halting it after any event leaves nothing: no timer, no permit, no body, no agent that did not end", () =>
    run(function* () {
      const found: [number, string[]][] = [];
      for (let at = 1; ; at += STRIDE) {
        const { options, model, bodies } = world();
        let count = 0;
        let rig: Rig | undefined;
        let stopping = false;
        const late: string[] = [];
        const task = yield* spawn(function* () {
          rig = yield* open({
            ...options,
            onEvent: ({ type }) => {
              count++;
              if (stopping && (type === "call:dispatched" || type === "turn:started")) late.push(type);
            },
          });
          yield* suspend();
        });
        yield* quiet;
        yield* quiet;
        while (count < at && rig?.clock.step()) yield* quiet;
        if (count < at) {
          yield* task.halt();
          break;
        }
        stopping = true;
        yield* task.halt();
        yield* quiet;
        const wrong = [...wrongs(rig!, model, bodies), ...late.map((type) => `${type} while halting`)];
        if (wrong.length > 0) found.push([at, wrong]);
      }
      expect(found).toEqual([]);
    }));
});

describe("events", () => {
  // must hold: every call that was proposed has one event that says how it ended
  it("tell of every call once how it ended and once that it was read, unless its agent was stopped", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      const of = (call: string, types: (event: PoolEvent) => boolean) =>
        events.filter((event) => "call" in event && event.call === call && types(event)).length;
      const proposed = ofType(events, "call:proposed");
      expect(proposed.length).toBeGreaterThan(15);
      for (const { call } of proposed)
        expect([
          call,
          of(call, ({ type }) => FINAL.has(type)),
          of(call, ({ type }) => type === "call:admitted"),
        ]).toEqual([call, 1, 1]);
    }));

  it("of a call are in the order of its life", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      const order = ["call:proposed", "call:dispatched", "call:settled", "call:refused", "call:admitted"];
      const byCall = grouped(
        events.filter(
          (event): event is Extract<PoolEvent, { call: string }> =>
            "call" in event && event.call !== undefined,
        ),
        ({ call }) => call,
      );
      for (const [call, list] of byCall) {
        const ranks = list.map(({ type }) => order.indexOf(type)).filter((rank) => rank >= 0);
        const dispatches = list.filter(({ type }) => type === "call:dispatched").length;
        const first = ranks.filter((rank, at) => rank !== 1 || ranks.indexOf(1) === at);
        expect([call, first]).toEqual([call, [...first].sort((a, b) => a - b)]);
        const retried = list.filter(
          (event) => event.type === "call:parked" && event.reason === "retry",
        ).length;
        if (dispatches > 0) expect(dispatches).toBe(retried + 1);
        const parked = list.filter(({ type }) => type === "call:parked").length;
        expect(list.filter(({ type }) => type === "call:resumed")).toHaveLength(parked);
      }
    }));

  it("carry the run, the time, and keys of agents that were spawned before", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play({ ...options, run: "run-1" });
      const known = new Set<string>();
      let last = 0;
      for (const event of events) {
        expect(event.run).toBe("run-1");
        expect(event.at).toBeGreaterThanOrEqual(last);
        last = event.at;
        if (event.type === "agent:spawned") known.add(event.agent);
        if ("agent" in event && event.agent !== undefined) expect(known.has(event.agent)).toBe(true);
      }
      expect(events[0]!.type).toBe("pool:opened");
      expect(events.at(-1)!.type).toBe("pool:closed");
    }));

  it("have each an object of their own", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      expect(new Set(events).size).toBe(events.length);
    }));

  it("show each agent ready, generating, calling, parked and done, never the same twice in a row", () =>
    run(function* () {
      const { options } = world();
      const { events } = yield* play(options);
      const byAgent = grouped(ofType(events, "agent:state"), ({ agent }) => agent);
      for (const states of byAgent.values())
        for (const [at, { state }] of states.entries()) expect(state).not.toBe(states[at - 1]?.state);
      expect(new Set(ofType(events, "agent:state").map(({ state }) => state))).toEqual(
        new Set(["generating", "calling", "parked", "ready"]),
      );
    }));

  // must hold: every call that was proposed has one event that says how it ended
  it("of a terminal call tell how it ended too: accepted, rejected, refused or failed", () =>
    run(function* () {
      let runs = 0;
      const { events } = yield* play({
        model: playing(
          report("fails"),
          report("rejected"),
          asks(["report", { result: "fine" }], ["report", { result: "second" }]),
        ),
        tools: [instant("search")],
        terminal: {
          ...reportTool,
          execute: (args) => {
            if (runs++ === 0) throw new Error("no paper");
            return args.result;
          },
        },
        hooks: [{ onReturn: () => ({ type: "reject", message: "more" }) }],
        orchestrate: parallel(["a"]),
      });
      const finals = events
        .filter((event) => FINAL.has(event.type))
        .map((event) => [event.type, "call" in event && event.call]);
      expect(finals).toEqual([
        ["call:settled", "agent/0:1#0"],
        ["call:refused", "agent/0:2#0"],
        ["call:refused", "agent/0:3#1"],
        ["call:settled", "agent/0:3#0"],
      ]);
    }));

  it("add up to the totals", () =>
    run(function* () {
      const { options } = world();
      const { events, result } = yield* play(options);
      const { totals } = result;
      expect(ofType(events, "agent:spawned")).toHaveLength(totals.agents);
      expect(ofType(events, "turn:completed")).toHaveLength(totals.turns);
      expect(ofType(events, "call:admitted").filter(({ attended }) => attended)).toHaveLength(
        totals.attended,
      );
      expect(ofType(events, "call:refused")).toHaveLength(totals.refusals);
      const dispatched = ofType(events, "call:dispatched").filter(({ attempt }) => attempt === 0);
      expect(dispatched).toHaveLength(totals.toolCalls);
      const agentParks = ofType(events, "agent:state").filter(({ reason }) => reason === "rate_limit").length;
      expect(ofType(events, "call:parked").length + agentParks).toBe(totals.parks);
    }));

  it("know nothing of a pool that never opened", () =>
    run(function* () {
      const types: string[] = [];
      try {
        yield* agentPool({
          model: playing(),
          tools: [],
          guards: { x: false },
          orchestrate: parallel([]),
          onEvent: ({ type }) => noted(types, type, undefined),
        });
      } catch {}
      expect(types).toEqual([]);
    }));
});

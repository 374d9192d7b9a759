import type { PoolHandle } from "@agentpool/core";
import type { ScriptedModel } from "@agentpool/models";
import { type Operation, run, scoped, spawn, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { FINAL, world } from "./steered-world.ts";
import { finish, leftovers, open, play, quiet, type Rig, unanswered } from "./support.ts";

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

import type { Operation } from "effection";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { interventions, worlds } from "./arbitrary.ts";
import type { Intervention } from "./drive.ts";
import type { World } from "./world.ts";

// Each test breaks one rule, by putting something else in the place of the function that keeps it, and plays random
// worlds until one of them goes wrong in the way the rule is there to prevent.

const NO_INTERVENTION = fc.constant<Intervention>({ type: "none" });
const HALTS = fc.record({ type: fc.constant("halt" as const), step: fc.integer({ min: 1, max: 60 }) });

/** Worlds in which everything delegates and everybody asks for the same. */
const crowded = worlds.map(
  (world): World => ({
    ...world,
    agents: Math.max(world.agents, 3),
    keys: Math.min(world.keys, 3),
    delegate: 0.5,
    hang: 0,
    approve: 0,
    restart: 0,
    rewrite: 0,
    client: 0,
    memory: 0,
  }),
);

async function whatGoesWrong(
  from: fc.Arbitrary<World>,
  what: fc.Arbitrary<Intervention>,
  expected: RegExp,
): Promise<string | undefined> {
  const { play } = await import("./drive.ts");
  const { violations } = await import("./invariants.ts");
  let found: string | undefined;
  await fc.assert(
    fc.asyncProperty(from, what, async (world, intervention) => {
      found = violations(world, await play(world, intervention)).find((violation) =>
        expected.test(violation),
      );
      return found === undefined;
    }),
    { numRuns: 400, seed: 7, endOnFailure: true, reporter: () => {} },
  );
  return found;
}

describe("the simulation notices when", { timeout: 120_000 }, () => {
  beforeEach(() => {
    vi.resetModules();
  });
  afterEach(() => {
    for (const file of [
      "core/src/decisions/life.ts",
      "core/src/decisions/line.ts",
      "core/src/decisions/lineage.ts",
      "core/src/decisions/view.ts",
      "core/src/decisions/waiting.ts",
      "core/src/effects/parking.ts",
      "core/src/effects/permits.ts",
      "core/src/runtime/ask-person.ts",
      "core/src/runtime/call-execution.ts",
      "core/src/runtime/enter-line.ts",
      "core/src/runtime/propose-step.ts",
      "core/src/runtime/room.ts",
      "core/src/runtime/rewrite-call.ts",
      "models/src/conversation.ts",
    ])
      vi.doUnmock(`../../packages/${file}`);
    vi.resetModules();
  });

  it("a success counts as read only once it is admitted: the line deadlocks", async () => {
    vi.doMock("../../packages/core/src/decisions/line.ts", async (original) => {
      const line = await original<typeof import("../../packages/core/src/decisions/line.ts")>();
      return {
        ...line,
        Line: class extends line.Line {
          override succeed(): void {}
        },
      };
    });
    expect(await whatGoesWrong(crowded, NO_INTERVENTION, /deadlock/)).toMatch(/deadlock/);
  });

  it("nobody asks what happens if the calls before it succeed: equal calls run twice", async () => {
    vi.doMock("../../packages/core/src/decisions/view.ts", async (original) => {
      const view = await original<typeof import("../../packages/core/src/decisions/view.ts")>();
      return {
        ...view,
        Snapshot: class extends view.Snapshot {
          override open() {
            return [];
          }
        },
      };
    });
    const predicates = crowded.map((world): World => ({ ...world, guard: "predicate" }));
    expect(await whatGoesWrong(predicates, NO_INTERVENTION, /although/)).toMatch(/although/);
  });

  it("keyed guards do not wait for the call before them: equal calls run twice", async () => {
    vi.doMock("../../packages/core/src/decisions/view.ts", async (original) => {
      const view = await original<typeof import("../../packages/core/src/decisions/view.ts")>();
      return {
        ...view,
        standing: (...asked: Parameters<typeof view.standing>) => {
          const at = view.standing(...asked);
          return at.type === "behind" ? { type: "free" } : at;
        },
      };
    });
    const keyed = crowded.map((world): World => ({ ...world, guard: "keyed" }));
    expect(await whatGoesWrong(keyed, NO_INTERVENTION, /although/)).toMatch(/although/);
  });

  it("a call may wait for a call it runs under: both wait for ever", async () => {
    vi.doMock("../../packages/core/src/decisions/waiting.ts", () => ({ waitsForItself: () => false }));
    expect(await whatGoesWrong(crowded, NO_INTERVENTION, /deadlock/)).toMatch(/deadlock/);
  });

  it("a call keeps its permit while a pool runs inside it: all permits are held by those who wait", async () => {
    vi.doMock("../../packages/core/src/runtime/call-execution.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/call-execution.ts")>();
      return {
        ...module,
        CallExecution: class extends module.CallExecution {
          readonly #lent: ConstructorParameters<typeof module.CallExecution>[3];
          constructor(...given: ConstructorParameters<typeof module.CallExecution>) {
            super(...given);
            this.#lent = given[3];
          }
          override *lend<T>(pool: () => Operation<T>) {
            const goOn = this.#lent.suspend();
            const value = yield* pool();
            goOn();
            return value;
          }
        },
      };
    });
    expect(await whatGoesWrong(crowded, NO_INTERVENTION, /deadlock/)).toMatch(/deadlock/);
  });

  it("nobody is marked as closing: halting starts what it should end", async () => {
    vi.doMock("../../packages/core/src/decisions/life.ts", async (original) => ({
      ...(await original<typeof import("../../packages/core/src/decisions/life.ts")>()),
      isClosing: () => false,
    }));
    const tight = crowded.map((world): World => ({ ...world, concurrentTools: 1, agents: 5 }));
    expect(await whatGoesWrong(tight, HALTS, /while everything was stopping/)).toMatch(
      /while everything was stopping/,
    );
  });

  it("a grant is written down by the waiter instead of by who grants: a halt between the two loses the permit", async () => {
    vi.doMock("../../packages/core/src/effects/permits.ts", async (original) => {
      const permits = await original<typeof import("../../packages/core/src/effects/permits.ts")>();
      return {
        ...permits,
        Permits: class extends permits.Permits {
          override enqueue(...[slot, life, wake]: Parameters<typeof permits.Permits.prototype.enqueue>) {
            const granted = { held: false };
            return super.enqueue(granted, life, () => {
              wake();
              queueMicrotask(() => Object.assign(slot, granted));
            });
          }
        },
      };
    });
    expect(await whatGoesWrong(crowded, interventions, /permits of tools are left/)).toMatch(
      /permits of tools are left/,
    );
  });

  it("a fork of a busy agent starts in the middle of its step: its model is shown calls without an answer", async () => {
    vi.doMock("../../packages/models/src/conversation.ts", async (original) => {
      const module = await original<typeof import("../../packages/models/src/conversation.ts")>();
      module.Conversation.prototype.rewind = () => {};
      return module;
    });
    expect(await whatGoesWrong(crowded, NO_INTERVENTION, /without an answer/)).toMatch(/without an answer/);
  });

  it("a pool nested in a call starts with what its caller read in the open step: lineage is no snapshot", async () => {
    vi.doMock("../../packages/core/src/decisions/lineage.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/decisions/lineage.ts")>();
      const fork = module.Lineage.prototype.fork;
      module.Lineage.prototype.fork = function () {
        return fork.call(this, 0);
      };
      return module;
    });
    const lineage = crowded.map((world): World => ({ ...world, scope: "lineage", keys: 2, turns: 4 }));
    expect(await whatGoesWrong(lineage, NO_INTERVENTION, /an ancestor had read/)).toMatch(
      /an ancestor had read/,
    );
  });

  /** Worlds in which people are asked about most of it, and equal calls meet. */
  const asked = crowded.map((world): World => ({ ...world, approve: 0.7 }));

  it("nobody is asked about a call that needs a person: it runs all the same", async () => {
    vi.doMock("../../packages/core/src/runtime/ask-person.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/ask-person.ts")>();
      return {
        ...module,
        *askPeople(waiting: Parameters<typeof module.askPeople>[0]) {
          return waiting.map(() => undefined);
        },
      };
    });
    expect(await whatGoesWrong(asked, NO_INTERVENTION, /nobody had approved/)).toMatch(/nobody had approved/);
  });

  it("an approval counts for whatever the call is by then: what runs is not what was shown", async () => {
    vi.doMock("../../packages/core/src/runtime/ask-person.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/ask-person.ts")>();
      return {
        ...module,
        *askPeople(waiting: Parameters<typeof module.askPeople>[0]) {
          const refusals = yield* module.askPeople(waiting);
          for (const { call } of waiting)
            Object.assign(call, { args: Object.assign(Object.create(call.args), { args: { k: "k0" } }) });
          return refusals;
        },
      };
    });
    expect(await whatGoesWrong(asked, NO_INTERVENTION, /nobody had approved/)).toMatch(/nobody had approved/);
  });

  it("an approved call is not asked about again in line: it runs although an equal one was read meanwhile", async () => {
    vi.doMock("../../packages/core/src/runtime/enter-line.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/enter-line.ts")>();
      return {
        ...module,
        enterLine: (...given: Parameters<typeof module.enterLine>) =>
          given[0].approved ? undefined : module.enterLine(...given),
      };
    });
    const cohort = asked.map((world): World => ({ ...world, scope: "cohort", never: 0 }));
    expect(await whatGoesWrong(cohort, NO_INTERVENTION, /although/)).toMatch(/although/);
  });

  it("winding down does not reach who waits for a person: the run never ends", async () => {
    vi.doMock("../../packages/core/src/effects/parking.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/effects/parking.ts")>();
      return {
        ...module,
        Parking: class extends module.Parking {
          override withdraw(): void {}
        },
      };
    });
    const never = asked.map((world): World => ({ ...world, never: 0.8 }));
    expect(await whatGoesWrong(never, NO_INTERVENTION, /deadlock/)).toMatch(/deadlock/);
  });

  it("a step that was sent back runs all the same: its calls are answered twice over", async () => {
    vi.doMock("../../packages/core/src/runtime/propose-step.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/propose-step.ts")>();
      return {
        ...module,
        *proposeStep(...given: Parameters<typeof module.proposeStep>) {
          const judged = yield* module.proposeStep(...given);
          if (judged.type !== "restarted") return judged;
          const [agent, , calls] = given;
          for (const { id, tool, identity, args } of calls)
            agent.pool.run.emit({
              type: "call:dispatched",
              agent: agent.key,
              call: id,
              tool,
              identity,
              args: args.args,
              attempt: 0,
            });
          return judged;
        },
      };
    });
    const sentBack = crowded.map((world): World => ({ ...world, restart: 0.6 }));
    expect(await whatGoesWrong(sentBack, NO_INTERVENTION, /ran, and then: call:discarded/)).toMatch(
      /call:discarded/,
    );
  });

  it("a rewritten call keeps the verdict on what it was: it runs unasked as what it is", async () => {
    vi.doMock("../../packages/core/src/runtime/rewrite-call.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/rewrite-call.ts")>();
      return {
        ...module,
        *rewriteCall(call: Parameters<typeof module.rewriteCall>[0]) {
          const rewrite = yield* module.rewriteCall(call);
          if (rewrite.type !== "rewritten") return rewrite;
          // judged in the old form, run in the new one
          const { args } = call.args;
          const shown = { args, under: () => undefined, recordedUnder: () => undefined };
          queueMicrotask(() => Object.assign(shown, { args: rewrite.args }));
          Object.assign(call, { args: shown });
          return { type: "none" };
        },
      };
    });
    const rewritten = asked.map((world): World => ({ ...world, rewrite: 0.8 }));
    expect(await whatGoesWrong(rewritten, NO_INTERVENTION, /nobody had approved/)).toMatch(
      /nobody had approved/,
    );
  });

  it("an agent that is over keeps its room: those who wait for it wait for ever", async () => {
    vi.doMock("../../packages/core/src/runtime/room.ts", async (original) => {
      const module = await original<typeof import("../../packages/core/src/runtime/room.ts")>();
      module.Room.prototype.leave = () => {};
      return module;
    });
    const scarce = crowded.map((world): World => ({ ...world, agents: 5, memory: 700 }));
    expect(await whatGoesWrong(scarce, NO_INTERVENTION, /deadlock/)).toMatch(/deadlock/);
  });
});

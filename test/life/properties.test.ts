import {
  ApprovalDesk,
  type Args,
  defineTool,
  delegate,
  type GuardFunction,
  type ManualClock,
  manualClock,
  type Outcome,
  type PoolEvent,
  type PoolHandle,
  type PoolResult,
  parallel,
  reportTool,
  sleepOn,
  type Tool,
  type ToolContext,
  type ToolGuard,
  type ToolLifecycleHooks,
  ToolRetryError,
  useClock,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { leftovers, ofType, open, quiet, type Rig, unanswered } from "../scenarios/support.ts";

// Everything that may have a say in a call, in every way it may say it, at random.

/** How many things there are to ask for: what is said about a call depends on which one it asks for. */
const THINGS = 6;

const answers = fc.constantFrom(
  "abstain",
  "abstain",
  "abstain",
  "refuse",
  "cancel",
  "substitute",
  "approve",
  "throw",
  "hang",
  "malformed",
);
const guard = fc.record({
  answers: fc.array(answers, { minLength: THINGS, maxLength: THINGS }),
  how: fc.constantFrom("value", "promise", "operation"),
  onError: fc.constantFrom("refuse", "refuse", "proceed"),
});
const each = <T>(...of: T[]): fc.Arbitrary<T[]> =>
  fc.array(fc.constantFrom(...of), { minLength: THINGS, maxLength: THINGS });
const delays = fc.array(fc.nat(60), { minLength: THINGS, maxLength: THINGS });

const call = fc.record({
  tool: fc.constantFrom("look", "look", "write", "write", "pick", "shell", "pay", "gone", "delegate"),
  thing: fc.nat(THINGS - 1),
  form: fc.constantFrom("good", "good", "good", "good", "no JSON", "wrong type"),
});

const cases = fc.record({
  agents: fc.array(fc.array(fc.array(call, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 3,
  }),
  own: guard,
  harness: guard,
  rewrite: each("none", "none", "none", "merge", "other tool", "denied tool", "misfit", "malformed", "throw"),
  judge: each("none", "none", "none", "restart", "todo", "throw", "malformed"),
  outcome: each("value", "value", "value", "nothing", "throw", "hang", "busy once", "busy", "no JSON"),
  judged: each("none", "none", "none", "attempt", "retry", "fail", "throw"),
  people: each("approve", "approve", "deny", "never"),
  client: each("submit", "submit", "never"),
  decided: delays,
  returned: fc.constantFrom("none", "reject", "throw"),
  intervention: fc.record({
    type: fc.constantFrom("none", "none", "none", "wind", "pause", "cancel", "cancel all", "steer"),
    step: fc.nat(60),
    agent: fc.nat(2),
  }),
  limits: fc.record({
    maxToolCalls: fc.constantFrom(2, 5, 50),
    concurrentTools: fc.integer({ min: 1, max: 3 }),
  }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

const thingOf = (args: Args): number => Number(args.thing) % THINGS;

/** Answers as a value, a promise or an operation. */
function given<T>(how: string, answer: () => T): unknown {
  if (how === "promise") return Promise.resolve().then(answer);
  if (how === "operation")
    return (function* () {
      yield* sleepOn(yield* useClock(), 1);
      return answer();
    })();
  return answer();
}

const HANGS = 100;

function guardOf(
  name: string,
  { answers, how, onError }: Case["own"],
  more: Partial<ToolGuard> = {},
): ToolGuard {
  const decide = ({ args }: Parameters<GuardFunction>[0]): unknown => {
    const answer = answers[thingOf(args)]!;
    if (answer === "hang") return new Promise(() => {});
    return given(how, () => {
      switch (answer) {
        case "refuse":
          return { type: "refuse", message: "no" };
        case "cancel":
          return { type: "cancel", message: "not now" };
        case "substitute":
          return { type: "substitute", result: "instead" };
        case "approve":
          return { type: "requireApproval", reason: "look" };
        case "throw":
          throw new Error("broken");
        case "malformed":
          return { type: "refuse" };
        default:
          return undefined;
      }
    });
  };
  return { name, onError: onError as "refuse", timeoutMs: HANGS, decide, ...more } as ToolGuard;
}

/** What guards together make of a call: worked out here from what each says, apart from the pool. */
function verdictOf({ own, harness }: Case, thing: number): "runs" | "asks" | "blocked" {
  let asks = false;
  for (const { answers, onError } of [own, harness]) {
    const answer = answers[thing]!;
    if (answer === "refuse" || answer === "cancel") return "blocked";
    if (answer === "substitute" && !asks) return "blocked";
    if ((answer === "throw" || answer === "hang" || answer === "malformed") && onError === "refuse")
      return "blocked";
    if (answer === "approve") asks = true;
  }
  return asks ? "asks" : "runs";
}

/** What was executed, from inside the tools. */
interface Executed {
  readonly call: string;
  readonly tool: string;
  readonly thing: number;
}

const GUARDED = ["look", "write", "pick"];

function toolsOf(of: Case, executed: Executed[]): Tool[] {
  const parameters = z.object({ thing: z.number().int().default(0) });
  const guards = { beforeDispatch: [guardOf("own", of.own)] };
  const body = (name: string) =>
    function* (args: Args, ctx: ToolContext) {
      const thing = thingOf(args);
      executed.push({ call: ctx.id, tool: name, thing });
      const outcome = of.outcome[thing]!;
      const clock = yield* useClock();
      yield* sleepOn(clock, outcome === "hang" ? 10_000 : 1 + thing);
      if (outcome === "throw") throw new Error("failed");
      if (outcome === "busy" || (outcome === "busy once" && ctx.attempt === 0))
        throw new ToolRetryError("busy", 5);
      return outcome === "nothing" ? undefined : outcome === "no JSON" ? 1n : { thing };
    };
  const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
    ...defineTool({ name, description: name, parameters, execute: body(name) }),
    timeoutMs: 200,
    ...more,
  });
  return [
    tool("look", { hooks: guards }),
    tool("write", { hooks: guards, parallel: false }),
    tool("pick", { hooks: guards, target: "client" }),
    tool("shell"),
    tool("pay", { protected: true }),
    delegate(),
  ];
}

function hooksOf(of: Case): ToolLifecycleHooks {
  return {
    name: "harness",
    timeoutMs: HANGS,
    beforeDispatch: [guardOf("harness", of.harness, { tools: GUARDED })],
    rewrite({ call: { tool, args } }) {
      if (!GUARDED.includes(tool)) return undefined;
      switch (of.rewrite[thingOf(args)]) {
        case "merge":
          return { type: "rewrite", args: { thing: (thingOf(args) + 1) % THINGS }, mode: "merge" };
        case "other tool":
          return { type: "rewrite", tool: tool === "look" ? "write" : "look", args, mode: "replace" };
        case "denied tool":
          return { type: "rewrite", tool: "shell", args: {}, mode: "replace" };
        case "misfit":
          return { type: "rewrite", args: { thing: "a lot" }, mode: "merge" };
        case "malformed":
          return { type: "rewrite" } as never;
        case "throw":
          throw new Error("broken");
        default:
          return undefined;
      }
    },
    onPropose({ turn, attempt }) {
      if (attempt > 1) return undefined;
      switch (of.judge[turn % THINGS]) {
        case "restart":
          return { type: "restart", reasoning: "Otherwise." };
        case "todo":
          return { type: "proceed", todo: "tidy up" };
        case "throw":
          throw new Error("broken");
        case "malformed":
          return { type: "restart" } as never;
        default:
          return undefined;
      }
    },
    afterExecute({ call: { args } }) {
      switch (of.judged[thingOf(args)]) {
        case "attempt":
          return { type: "attempt" };
        case "retry":
          return { type: "retry", afterMs: 3 };
        case "fail":
          return { type: "fail", message: "that is no answer" };
        case "throw":
          throw new Error("broken");
        default:
          return undefined;
      }
    },
    onReturn() {
      if (of.returned === "throw") throw new Error("broken");
      return of.returned === "reject" ? { type: "reject", message: "more" } : undefined;
    },
  };
}

const inputOf = ({ form, thing, tool }: Case["agents"][0][0][0]): Args | string => {
  if (form === "no JSON") return "{thing:";
  if (form === "wrong type") return { thing: "many", tasks: 3 };
  return tool === "delegate" ? { tasks: [`helper ${thing}`] } : { thing };
};

interface Played extends Rig {
  readonly of: Case;
  readonly executed: readonly Executed[];
  readonly result: PoolResult | undefined;
  readonly requests: readonly { readonly key: string; readonly messages: Parameters<typeof unanswered>[0] }[];
}

/** Plays a case to its end; who waits for somebody who never answers is wound down. */
async function play(of: Case): Promise<Played> {
  const executed: Executed[] = [];
  const approvals = new ApprovalDesk();
  const model = scripted(({ key }) => ({ turn, request }) => {
    const nested = key.includes("~");
    const index = Number(key.split("/").at(-1));
    const steps = nested
      ? [[{ tool: "look", thing: index % THINGS, form: "good" } as const]]
      : of.agents[index]!;
    const step = steps[turn - 1];
    if (!step || request.toolChoice !== undefined)
      return { calls: [{ tool: "report", args: { result: key } }] };
    return { calls: step.map((at) => ({ tool: at.tool, args: inputOf(at as never) })) };
  });
  return await run(function* () {
    const clock = manualClock();
    const late: { handle?: PoolHandle } = {};
    const rig = yield* open({
      model,
      clock,
      approvals,
      tools: toolsOf(of, executed),
      terminal: reportTool,
      orchestrate: parallel(of.agents.map((_, index) => `task ${index}`)),
      hooks: [hooksOf(of)],
      deny: ["shell"],
      budget: { ...of.limits, maxTurns: 5, maxToolRetries: 1 },
      onEvent: (event) => answer(of, clock, approvals, late, event),
    });
    late.handle = rig.handle;
    const { type, step: at, agent } = of.intervention;
    const key = `agent/${agent % of.agents.length}`;
    let wound = false;
    for (let step = 0; rig.outcome.result === undefined && !("error" in rig.outcome); step++) {
      if (step === at) {
        if (type === "wind") rig.handle.windDown();
        if (type === "cancel") yield* rig.handle.cancel(key);
        if (type === "steer") rig.handle.steer(key, "Add one.");
        if (type === "pause") {
          rig.handle.pause();
          yield* quiet;
          rig.handle.resume();
        }
        if (type === "cancel all")
          for (const [index] of of.agents.entries()) yield* rig.handle.cancel(`agent/${index}`);
        yield* quiet;
        continue;
      }
      if (step > 5_000) throw new Error("it goes on for ever");
      if (!rig.clock.step()) {
        if (wound) throw new Error(`stuck: ${JSON.stringify(rig.handle.inspect())}`);
        wound = true;
        rig.handle.windDown();
      }
      yield* quiet;
    }
    if ("error" in rig.outcome) throw rig.outcome.error;
    while (rig.clock.step()) yield* quiet; // people and clients who are too late
    return { ...rig, of, executed, result: rig.outcome.result, requests: model.requests };
  });
}

/** People and clients answer after a while, in whatever order that makes, or never. */
function answer(
  of: Case,
  clock: ManualClock,
  approvals: ApprovalDesk,
  late: { readonly handle?: PoolHandle },
  event: PoolEvent,
): void {
  if (event.type === "approval:requested") {
    const { id, args } = event.approval;
    const thing = thingOf(args);
    const says = of.people[thing]!;
    if (says === "never") return;
    clock.at(clock.now() + of.decided[thing]!, () => {
      if (!approvals.list().some((approval) => approval.id === id)) return;
      if (says === "approve") approvals.approve(id);
      else approvals.deny(id, "no");
    });
  }
  if (event.type === "call:parked" && event.reason === "client") {
    const { agent, call } = event;
    clock.at(clock.now() + 7, () => {
      const { handle } = late;
      const open = handle!.clientCalls().filter((asked) => asked.agent === agent);
      const mine = open.find(({ id }) => id === call);
      if (mine && of.client[thingOf(mine.args)] === "submit")
        handle!.submit(Object.fromEntries(open.map(({ id }) => [id, { picked: true }])));
    });
  }
}

const FINAL = [
  "call:settled",
  "call:refused",
  "call:cancelled",
  "call:substituted",
  "call:withdrawn",
  "call:discarded",
];

/** How each call that was proposed ended: types of its final events. */
function endsOf(events: readonly PoolEvent[]): Map<string, string[]> {
  const ends = new Map<string, string[]>();
  for (const event of events) {
    if (event.type === "call:proposed") ends.set(event.call, []);
    else if (FINAL.includes(event.type) && "call" in event) ends.get(event.call!)?.push(event.type);
  }
  return ends;
}

const property = (check: (played: Played) => void, numRuns = 150) =>
  fc.assert(
    fc.asyncProperty(cases, async (of) => check(await play(of))),
    { numRuns },
  );

const TIME = { timeout: 120_000 };

describe("whatever hooks, people, clients, models and tools do", () => {
  it("each emitted call is answered exactly once, in emitted order, before anything else is said", TIME, () =>
    property(({ requests, events }) => {
      for (const { key, messages } of requests) expect(unanswered(messages), key).toEqual([]);
      const admitted = ofType(events, "call:admitted").map(({ call }) => call);
      expect(new Set(admitted).size).toBe(admitted.length);
    }),
  );

  it("each call comes to exactly one end, unless its agent is ended before", TIME, () =>
    property(({ events, result }) => {
      const stopped = new Set(
        ofType(events, "agent:ended").flatMap(({ agent, result }) =>
          result.exit === "cancelled" ? [agent] : [],
        ),
      );
      expect(result).toBeDefined();
      for (const [call, ends] of endsOf(events)) {
        const agent = ofType(events, "call:proposed").find((event) => event.call === call)!.agent;
        if (stopped.has(agent)) expect(ends.length, call).toBeLessThanOrEqual(1);
        else expect(ends, call).toHaveLength(1);
      }
    }),
  );

  it("no call ran that was refused, called off, answered for, or sent back", TIME, () =>
    property(({ events, executed }) => {
      const ran = new Set(executed.map(({ call }) => call));
      for (const event of events)
        if (
          event.type === "call:refused" ||
          event.type === "call:cancelled" ||
          event.type === "call:substituted" ||
          event.type === "call:discarded"
        )
          expect(ran.has(event.call), `${event.call} ran, and: ${event.type}`).toBe(false);
    }),
  );

  it("nothing ran but what denies, grants and all guards let run, in the form in which it ran", TIME, () =>
    property(({ of, executed }) => {
      for (const { call, tool, thing } of executed) {
        expect(["look", "write"], call).toContain(tool);
        expect(verdictOf(of, thing), `${call} of ${thing}`).not.toBe("blocked");
      }
    }),
  );

  it("nothing that needs a person ran before one approved that very call", TIME, () =>
    property(({ of, events, executed }) => {
      const approved = new Set(
        ofType(events, "approval:decided").flatMap(({ call, decision }) =>
          decision.type === "approved" ? [call] : [],
        ),
      );
      for (const { call, thing } of executed)
        if (verdictOf(of, thing) === "asks") expect(approved.has(call), call).toBe(true);
      for (const { call, decision } of ofType(events, "approval:decided"))
        if (decision.type === "denied")
          expect(
            executed.some((at) => at.call === call),
            call,
          ).toBe(false);
    }),
  );

  it(
    "what agents count is what happened: turns, calls, reads, refusals, parks, in each and in total",
    TIME,
    () =>
      property(({ events, result }) => {
        const of = (agent: string, type: PoolEvent["type"]): PoolEvent[] =>
          events.filter((event) => event.type === type && "agent" in event && event.agent === agent);
        const ended = ofType(events, "agent:ended");
        for (const { agent, result } of ended) {
          const dispatched = new Set(
            of(agent, "call:dispatched").map((event) => "call" in event && event.call),
          );
          expect(result.toolCallCount, agent).toBe(dispatched.size);
          const read = ofType(events, "call:admitted").filter(
            (event) => event.agent === agent && event.attended,
          );
          expect(result.attendedCount, agent).toBe(read.length);
          expect(result.refusals.length, agent).toBe(
            of(agent, "call:refused").length + of(agent, "call:cancelled").length,
          );
          expect(result.parks, agent).toBe(of(agent, "call:parked").length);
          const forced = ofType(events, "turn:started").filter(
            (event) => event.agent === agent && event.forced,
          );
          expect(result.turns, agent).toBe(
            of(agent, "turn:completed").length - of(agent, "turn:restarted").length - forced.length,
          );
        }
        const sum = (of: (result: (typeof ended)[0]["result"]) => number): number =>
          ended.reduce((total, { result }) => total + of(result), 0);
        expect(result!.totals).toMatchObject({
          agents: ended.length,
          turns: sum(({ turns }) => turns),
          toolCalls: sum(({ toolCallCount }) => toolCallCount),
          attended: sum(({ attendedCount }) => attendedCount),
          refusals: sum(({ refusals }) => refusals.length),
          parks: sum(({ parks }) => parks),
        });
      }),
  );

  it("limits hold: of calls per agent, of bodies at once; and nothing is left when it is over", TIME, () =>
    property((played) => {
      const { of, events } = played;
      for (const { result } of ofType(events, "agent:ended"))
        expect(result.toolCallCount).toBeLessThanOrEqual(of.limits.maxToolCalls);
      expect(leftovers(played)).toEqual([]);
    }),
  );

  it(
    "only what a tool or a client gave well is read as such: a success admitted is a success settled",
    TIME,
    () =>
      property(({ events }) => {
        const outcomes = new Map<string, Outcome["type"]>();
        for (const event of events) {
          if (event.type === "call:settled") outcomes.set(event.call, event.outcome.type);
          if (event.type === "call:admitted" && event.attended) expect(outcomes.get(event.call)).toBe("ok");
        }
      }),
  );
});

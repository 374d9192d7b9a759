import {
  EFFORTS,
  type Effort,
  type PoolEvent,
  parallel,
  type ReviewScope,
  reportTool,
} from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish, instant, ofType, open, quiet, report, unanswered } from "../scenarios/support.ts";
import { applies, breach, pass, reviewsIn } from "./support.ts";

/** Pools in which models say whatever they like, and time and people do what they like too. */
interface World {
  readonly effort: Effort;
  readonly scope: ReviewScope;
  readonly agents: readonly (readonly ScriptedTurn[])[];
  readonly verdicts: readonly ScriptedTurn[];
  readonly matches: readonly ScriptedTurn[];
  readonly ruled: boolean;
  readonly windDownAfter: number | undefined;
}

const TOOLS = ["look", "wire", "pay"] as const;
const CONSEQUENTIAL = ["wire", "pay"];
const LIMITS: Readonly<Record<Effort, number>> = { min: 0, low: 2, medium: 3, high: 5, max: 10 };

const wait = fc.constantFrom(undefined, 10, 2_000);
const trouble = fc.constantFrom<ScriptedTurn>(
  { error: new Error("down") },
  { error: { limited: 500 } },
  { text: "I think so." },
  { text: '{"passed":false}' },
  {},
);
const waiting = (turn: fc.Arbitrary<ScriptedTurn>): fc.Arbitrary<ScriptedTurn> =>
  fc.tuple(turn, wait).map(([said, ms]) => (ms === undefined ? said : { ...said, wait: ms }));
const verdict = waiting(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(pass()) },
    { weight: 1, arbitrary: fc.constant(pass("Say thanks.")) },
    { weight: 3, arbitrary: fc.constant(breach("Otherwise.")) },
    { weight: 2, arbitrary: trouble },
  ),
);
const match = waiting(
  fc.oneof(fc.constant(applies()), fc.constant(applies("r1")), fc.constant(applies("r1", "r2")), trouble),
);
const call = fc.record({
  tool: fc.constantFrom(...TOOLS),
  args: fc.record({ q: fc.constantFrom("a", "b", "c") }),
});
const turn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  { weight: 5, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }).map((calls) => ({ calls })) },
  { weight: 1, arbitrary: fc.constant(report("Done.")) },
  {
    weight: 1,
    arbitrary: call.map((one) => ({ calls: [one, { tool: "report", args: { result: "Both." } }] })),
  },
);
const worlds: fc.Arbitrary<World> = fc.record({
  effort: fc.constantFrom(...EFFORTS),
  scope: fc.constantFrom<ReviewScope>(false, true, "messages", "all"),
  agents: fc.array(fc.array(turn, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
  verdicts: fc.array(verdict, { minLength: 1, maxLength: 12 }),
  matches: fc.array(match, { minLength: 1, maxLength: 6 }),
  ruled: fc.boolean(),
  windDownAfter: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined }),
});

/** Answers in order, round and round. */
const cycling = (turns: readonly ScriptedTurn[]) => {
  let at = 0;
  return scripted(() => () => turns[at++ % turns.length]!);
};

function* play(world: World) {
  const { effort, scope, agents, ruled } = world;
  const model = scripted(({ key }) => {
    let at = 0;
    const own = agents[Number(key.split("/").at(-1))]!;
    return () => own[at++] ?? report("The end.");
  });
  const rig = yield* open({
    terminal: reportTool,
    orchestrate: parallel(agents.map((_, at) => ({ task: `Task ${at}.`, key: `${at}` }))),
    model,
    tools: TOOLS.map((name) => instant(name, { consequential: CONSEQUENTIAL.includes(name) })),
    effort,
    review: scope,
    budget: { maxTurns: 8 },
    repetition: false,
    rules: ruled
      ? [
          { title: "Care", content: "Take care.", when: "now", review: true },
          { title: "Speed", content: "Hurry.", when: "now" },
        ]
      : [],
    reviewer: reviewer({
      models: { "review.rules": cycling(world.matches), "review.*": cycling(world.verdicts) },
      timeoutMs: 1_000,
    }),
  });
  const { windDownAfter } = world;
  for (let step = 0; windDownAfter !== undefined && step < windDownAfter; step++) {
    if (!rig.clock.step()) break;
    yield* quiet;
  }
  if (windDownAfter !== undefined) rig.handle.windDown();
  const result = yield* finish(rig); // it ends, and leaves nothing
  return { result, events: rig.events, model };
}

/** The calls that a review has let through. */
const passedCalls = (events: readonly PoolEvent[]): Set<string> =>
  new Set(
    ofType(events, "review:passed").flatMap(({ subject, calls }) =>
      subject === "step" ? calls.map(({ id }) => id) : [],
    ),
  );

describe("whatever models, reviewers and time do", () => {
  const holds = (what: string, check: (world: World, played: Awaited<ReturnType<typeof playIn>>) => void) =>
    it(what, async () => {
      await fc.assert(
        fc.asyncProperty(worlds, async (world) => check(world, await playIn(world))),
        { numRuns: 30 },
      );
    }, 120_000);
  const playIn = (world: World) => run(() => play(world));

  holds(
    "no consequential call runs that no review has let through, but at effort min",
    ({ effort }, { events }) => {
      const passed = passedCalls(events);
      for (const { tool, call } of ofType(events, "call:dispatched"))
        if (effort !== "min" && CONSEQUENTIAL.includes(tool)) expect(passed).toContain(call);
    },
  );

  holds("where every step is reviewed, no call at all does", ({ effort, scope }, { events }) => {
    const passed = passedCalls(events);
    for (const { call } of ofType(events, "call:dispatched"))
      if (effort !== "min" && (scope === true || scope === "all")) expect(passed).toContain(call);
  });

  holds("no call of a step that was sent back is ever run or read", (_, { events }) => {
    const discarded = new Set(ofType(events, "call:discarded").map(({ call }) => call));
    for (const event of events)
      if (event.type === "call:dispatched" || event.type === "call:admitted")
        expect(discarded).not.toContain(event.call);
  });

  holds(
    "each review that began comes to one end, and restarts stay within their budget",
    ({ effort }, { events }) => {
      const reviews = reviewsIn(events);
      const count = (...types: string[]) => reviews.filter(({ type }) => types.includes(type)).length;
      expect(count("review:started")).toBe(count("review:passed", "review:restarted", "review:failed"));
      for (const agent of new Set(reviews.map(({ agent }) => agent)))
        for (const subject of ["step", "report"])
          expect(
            ofType(events, "review:restarted").filter(
              (event) => event.agent === agent && event.subject === subject,
            ).length,
          ).toBeLessThanOrEqual(LIMITS[effort]);
    },
  );

  holds(
    "no report is returned that is to be reviewed and was not vouched for",
    ({ effort, scope }, { events, result }) => {
      if (effort === "min" || (scope !== "messages" && scope !== "all")) return;
      const ended = new Set(
        reviewsIn(events).flatMap((event) =>
          (event.type === "review:passed" || event.type === "review:skipped") && event.subject === "report"
            ? [event.agent]
            : [],
        ),
      );
      for (const { key, exit } of result.agents) if (exit === "returned") expect(ended).toContain(key);
    },
  );

  holds("every call in a conversation is answered, in order", (_, { model }) => {
    for (const { messages } of model.requests) expect(unanswered(messages)).toEqual([]);
  });

  holds("what agents used is what their turns and reviews used", (_, { events, result }) => {
    const used = [
      ...ofType(events, "turn:completed").map(({ result: { usage } }) => usage),
      ...reviewsIn(events).flatMap((event) => ("usage" in event ? [event.usage] : [])),
    ];
    const sum = (part: "input" | "output") => used.reduce((all, usage) => all + usage[part], 0);
    expect(result.totals.usage).toMatchObject({ input: sum("input"), output: sum("output") });
  });
});

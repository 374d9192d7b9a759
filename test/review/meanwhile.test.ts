import { parallel, reportTool } from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { crash, takeUp } from "../resume/support.ts";
import {
  ask,
  asks,
  finish,
  ofType,
  open,
  playing,
  quiet,
  type RigOptions,
  report,
  textOf,
} from "../scenarios/support.ts";
import { breach, course, judging, pass, shop } from "./support.ts";

// What happens while a review is under way. Here it takes a thousand milliseconds.

const slow = (verdict: ScriptedTurn): ScriptedTurn => ({ wait: 1_000, ...verdict });

/** A pool of one whose first step is under review. */
function* opened(
  verdicts: readonly ScriptedTurn[],
  turns: readonly ScriptedTurn[],
  more: Partial<RigOptions>,
) {
  const { tools, cancelled } = shop();
  const model = playing(...turns);
  const judge = judging(...verdicts.map(slow));
  const rig = yield* open({
    terminal: reportTool,
    orchestrate: parallel(["Cancel it."]),
    model,
    tools,
    reviewer: reviewer({ models: judge }),
    ...more,
  });
  expect(judge.requests).toHaveLength(1);
  expect(cancelled).toEqual([]);
  return { ...rig, model, judge, cancelled };
}

const cancel = (order: number) => ask("cancel_order", { order });

describe("a person who speaks to an agent under review", () => {
  it("is heard by the attempt after it, which sees their words and no rejected call; a second restart keeps them", () =>
    run(function* () {
      const rig = yield* opened(
        [breach("Not 7."), breach("Not 8 either."), pass()],
        [cancel(7), cancel(8), cancel(9), report()],
        {},
      );
      rig.handle.steer("agent/0", "It was the green one.");
      yield* finish(rig);
      expect(rig.cancelled).toEqual([9]);
      const [, second, third, fourth] = rig.model.requests.map(({ messages }) => textOf(messages));
      for (const shown of [second, third, fourth]) expect(shown!.match(/the green one/g)).toHaveLength(1);
      expect(second).not.toMatch(/"order":7/);
      expect(third).not.toMatch(/"order":[78]/);
      expect(second!.indexOf("Not 7.")).toBeLessThan(second!.indexOf("the green one"));
      // and whoever reviews the next attempt knows what was said
      expect(textOf(rig.judge.requests[0]!.messages)).not.toContain("the green one");
      expect(textOf(rig.judge.requests[1]!.messages)).toContain("the green one");
    }));

  it("is heard by it in a process after the one that they spoke to, in the same place", () =>
    run(function* () {
      const story = () => ({
        run: "r",
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model: playing(cancel(7), report("It was green.")),
        tools: shop().tools,
        reviewer: reviewer({ models: judging(slow(breach("Not 7."))) }),
      });
      const whole = story();
      const rig = yield* open(whole);
      rig.handle.steer("agent/0", "It was the green one.");
      yield* finish(rig);

      const entries = yield* crash(
        story(),
        ({ type }) => type === "agent:steered",
        function* ({ handle }) {
          handle.steer("agent/0", "It was the green one.");
        },
      );
      const after = story();
      const { agents } = yield* finish(yield* takeUp(after, entries));
      expect(agents[0]).toMatchObject({ result: "It was green.", turns: 1 });
      const shown = after.model.requests.map(({ messages }) => textOf(messages));
      expect(shown).toEqual([textOf(whole.model.requests[1]!.messages)]);
      expect(shown[0]).toContain("the green one");
      expect(shown[0]).not.toContain('"order":7');
    }));

  it("is heard after the results where the step passes", () =>
    run(function* () {
      const rig = yield* opened([pass()], [cancel(7), report()], {});
      rig.handle.steer("agent/0", "Thank you.");
      yield* finish(rig);
      expect(rig.cancelled).toEqual([7]);
      const shown = textOf(rig.model.requests[1]!.messages);
      expect(shown.indexOf("7 is cancelled")).toBeLessThan(shown.indexOf("Thank you."));
    }));

  it("is heard before its report is returned, also where the report is what was reviewed", () =>
    run(function* () {
      const rig = yield* opened([pass(), pass()], [report("first"), report("second")], {
        review: "messages",
      });
      rig.handle.steer("agent/0", "One more thing.");
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ exit: "returned", result: "second" });
      expect(textOf(rig.model.requests[1]!.messages)).toContain("One more thing.");
    }));
});

describe("a pause", () => {
  it("lets the review finish, and nothing that it let through begins before it is over", () =>
    run(function* () {
      const rig = yield* opened([pass()], [cancel(7), report()], {});
      rig.handle.pause();
      rig.clock.advance(1_000);
      yield* quiet;
      expect(course(rig.events)).toEqual(["review:started", "review:passed"]);
      expect(rig.cancelled).toEqual([]);
      rig.handle.resume();
      yield* finish(rig);
      expect(rig.cancelled).toEqual([7]);
    }));

  it("holds back the attempt after a breach", () =>
    run(function* () {
      const rig = yield* opened([breach()], [cancel(7), report()], {});
      rig.handle.pause();
      rig.clock.advance(1_000);
      yield* quiet;
      expect(ofType(rig.events, "turn:restarted")).toHaveLength(1);
      expect(rig.model.requests).toHaveLength(1);
      rig.handle.resume();
      yield* finish(rig);
      expect(rig.model.requests).toHaveLength(2);
    }));

  it("before the review begins holds it back, without its time running", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging(pass());
      const rig = yield* open({
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model: playing({ wait: 10, ...cancel(7) }, report()),
        tools,
        reviewer: reviewer({ models: judge, timeoutMs: 500 }),
      });
      rig.handle.pause();
      rig.clock.advance(10);
      yield* quiet;
      rig.clock.advance(60_000);
      yield* quiet;
      expect(judge.requests).toHaveLength(0);
      rig.handle.resume();
      yield* finish(rig);
      expect(cancelled).toEqual([7]);
    }));
});

describe("the end of a run", () => {
  for (const [how, ends] of [
    ["it is wound down", (rig: { handle: { windDown(): void } }) => rig.handle.windDown()],
    ["its time is up", undefined],
  ] as const)
    for (const [what, verdict] of [
      ["passes", pass()],
      ["is a breach", breach("I say so.")],
    ] as const)
      it(`lets the review finish where ${how}: what it ${what} does not run any more, and its agent reports`, () =>
        run(function* () {
          const look = ask("get_order", { order: 5 });
          const rig = yield* opened([verdict], [look, cancel(7), report("What I have.")], {
            ...(ends ? {} : { budget: { wallClock: { soft: 500, hard: 60_000 } } }),
          });
          ends?.(rig);
          const { agents } = yield* finish(rig);
          expect(rig.cancelled).toEqual([]);
          expect(agents[0]).toMatchObject({ exit: ends ? "cancelled" : "deadline", result: "What I have." });
          expect(course(rig.events)).toHaveLength(2);
          const last = textOf(rig.model.requests.at(-1)!.messages);
          if (what === "is a breach") expect(last).not.toContain('"order":7');
          // no call of its is left without an answer
          expect(last.match(/"tool-call"/g)?.length ?? 0).toBe(last.match(/"tool-result"/g)?.length ?? 0);
        }));

  it("lets a report out unreviewed that its agent was giving: nothing can be sent back any more, and an event says so", () =>
    run(function* () {
      const judge = judging(breach());
      const rig = yield* open({
        terminal: reportTool,
        orchestrate: parallel(["Say it."]),
        model: playing({ wait: 1_000, ...report("as it is") }),
        review: "messages",
        reviewer: reviewer({ models: judge }),
      });
      rig.clock.advance(500);
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(agents[0]).toMatchObject({ result: "as it is" });
      expect(judge.requests).toEqual([]);
      expect(ofType(rig.events, "review:skipped")).toMatchObject([
        { subject: "report", reason: "final", report: "as it is" },
      ]);
    }));

  it("has no hook send its last report back either", () =>
    run(function* () {
      let asked = 0;
      const rig = yield* open({
        terminal: reportTool,
        orchestrate: parallel(["Say it."]),
        model: playing({ wait: 1_000, ...report("as it is") }),
        hooks: [
          {
            onReturn({ final }) {
              asked++;
              expect(final).toBe(true);
              return { type: "restart", reasoning: "Once more." };
            },
          },
        ],
      });
      rig.clock.advance(500);
      rig.handle.windDown();
      const { agents } = yield* finish(rig);
      expect(asked).toBe(1);
      expect(agents[0]).toMatchObject({ result: "as it is" });
    }));

  it("at the hard limit ends the review with its agent", () =>
    run(function* () {
      const rig = yield* opened([pass()], [cancel(7), report()], {
        budget: { wallClock: { hard: 500 } },
      });
      const { agents } = yield* finish(rig);
      expect(rig.clock.now()).toBe(500);
      expect(agents[0]!.exit).toBe("deadline");
      expect(rig.cancelled).toEqual([]);
      expect(course(rig.events)).toEqual(["review:started"]);
    }));

  it("of a pool whose scope ends leaves no review behind", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      let halted = false;
      const judge = judging({
        wait: (function* () {
          try {
            yield* suspend();
          } finally {
            halted = true;
          }
        })(),
      });
      const rig = yield* open({
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model: playing(cancel(7)),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(judge.requests).toHaveLength(1);
      yield* rig.handle.cancel("agent/0");
      yield* finish(rig);
      expect(halted).toBe(true);
      expect(cancelled).toEqual([]);
    }));
});

describe("an agent that forks from one whose step is under review", () => {
  it("starts before that step: it never sees the call, whatever the verdict is, and is reviewed for itself", () =>
    run(function* () {
      for (const verdict of [breach("I say no."), pass()]) {
        const { tools, cancelled } = shop();
        const judge = judging(slow(verdict), pass());
        const model = scripted(({ key }) =>
          key.endsWith("child")
            ? [cancel(1), report("child")]
            : [ask("get_order", { order: 5 }), { reasoning: "Secretly.", ...cancel(7) }, report("parent")],
        );
        const rig = yield* open({
          terminal: reportTool,
          model,
          tools,
          reviewer: reviewer({ models: judge }),
          *orchestrate({ spawn, waitFor }) {
            const parent = yield* spawn({ task: "Cancel it.", key: "parent" });
            yield* quiet;
            expect(judge.requests).toHaveLength(1); // the parent's step is under review
            const child = yield* spawn({ task: "Look as well.", key: "child", parent });
            yield* waitFor(child);
            yield* waitFor(parent);
          },
        });
        yield* finish(rig);
        const child = model.requests.filter(({ key }) => key.endsWith("child"));
        for (const { messages } of child) {
          expect(textOf(messages)).toContain('"order":5');
          expect(textOf(messages)).not.toMatch(/"order":7|Secretly/);
        }
        expect(cancelled.sort()).toEqual(verdict.text === pass().text ? [1, 7] : [1]);
        // and what the child read and said is not in the parent's conversation
        const parent = model.requests.filter(({ key }) => key.endsWith("parent"));
        expect(textOf(parent.at(-1)!.messages)).not.toContain("Look as well.");
      }
    }));
});

describe("agents side by side", () => {
  it("go on while another's step is under review, and a restart of one leaves the others' conversations alone", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging(slow(breach("I say no.")), slow(pass()), slow(pass()));
      const model = scripted(({ key }) => {
        const at = Number(key.at(-1));
        return [
          asks(["cancel_order", { order: 10 + at }], ["get_order", { order: 20 + at }]),
          report(`r${at}`),
        ];
      });
      const rig = yield* open({
        terminal: reportTool,
        orchestrate: parallel(["a", "b", "c"]),
        model,
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(judge.requests).toHaveLength(3); // at once
      yield* finish(rig);
      expect(cancelled).toEqual([11, 12]);
      const last = (key: string) =>
        textOf(model.requests.filter((request) => request.key === key).at(-1)!.messages);
      expect(last("agent/0")).not.toMatch(/"order":[12]0/);
      expect(last("agent/1")).toMatch(/"order":11.*"order":21/);
      expect(last("agent/1")).not.toContain("I say no.");
    }));
});

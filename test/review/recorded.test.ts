import {
  type AgentPoolOptions,
  isEvent,
  type JournalEntry,
  type PoolEvent,
  parallel,
  reportTool,
} from "@agentpool/core";
import type { ScriptedModel, ScriptedTurn } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run, until } from "effection";
import { describe, expect, it } from "vitest";
import { short } from "../../packages/cli/src/words.ts";
import { call } from "../../packages/cli/test/in-process.ts";
import { folderWith, pool } from "../../packages/cli/test/pool.ts";
import { chatEvents, streamed, useWire } from "../../packages/models/src/providers/wire.testing.ts";
import { clockAfter, memoryJournal } from "../resume/memory-journal.ts";
import { play, playing, report, textOf } from "../scenarios/support.ts";
import { applies, breach, judging, pass, reviewsIn, shop } from "./support.ts";

const cancelling = (order: number, id: string): ScriptedTurn => ({
  calls: [{ tool: "cancel_order", args: { order }, id }],
});

/** A task in which everything happens: rules that come and go, a breach, a todo, a failure, a report sent back. */
function story(recorded: readonly JournalEntry[] = []) {
  const { tools, cancelled } = shop({ cancel: { idempotent: true } });
  const model = playing(
    cancelling(1, "a"),
    cancelling(1, "b"),
    cancelling(2, "c"),
    cancelling(3, "d"),
    report("all done"),
    report("2 is cancelled"),
  );
  const given = answersIn(recorded);
  const judges = {
    "review.rules": judging(
      ...[applies("r1"), applies("r1", "r2"), applies("r2"), applies()].slice(given.rules),
    ),
    "review.tools": judging(
      ...[
        breach("Not 1: it has shipped."),
        pass("Tell the customer."),
        { error: new Error("down") },
        breach("unexpected"),
      ].slice(given.step),
    ),
    "review.messages": judging(...[breach("Only 2 is."), pass(), breach("unexpected")].slice(given.report)),
  };
  const options: Omit<AgentPoolOptions, "clock" | "journal"> = {
    run: "r",
    terminal: reportTool,
    orchestrate: parallel(["Cancel 1, 2 and 3."]),
    model,
    tools,
    review: "messages",
    rules: [
      { title: "Polite", content: "Be polite.", when: "a customer is spoken to" },
      { title: "Money", content: "Confirm amounts.", when: "money moves" },
    ],
    reviewer: reviewer({ models: judges }),
  };
  return { options, model, judges, cancelled };
}

/** How often models gave an answer that is on record. */
function answersIn(entries: readonly JournalEntry[]) {
  const reviews = reviewsIn(entries.filter(isEvent));
  const of = (subject: "step" | "report") =>
    reviews.filter((event) => "remembered" in event && event.subject === subject && !event.remembered).length;
  return {
    rules: reviews.filter(({ type }) => type === "review:matched").length,
    step: of("step"),
    report: of("report"),
  };
}

const told = (model: ScriptedModel): string => textOf(model.requests.at(-1)!.messages);
const asked = (judges: ReturnType<typeof story>["judges"]): number =>
  Object.values(judges).reduce((sum, { requests }) => sum + requests.length, 0);
const cancelledIn = (entries: readonly JournalEntry[]): number =>
  entries.filter((entry) => entry.type === "call:settled" && entry.tool === "cancel_order").length;
const verdicts = (events: readonly PoolEvent[]) =>
  reviewsIn(events).flatMap((event) =>
    event.type === "review:started" || event.type === "review:skipped" ? [] : [`${event.type} ${event.turn}`],
  );

describe("a run with reviews", () => {
  it("that is taken up from any entry of its record asks nobody twice, and comes to the same end", () =>
    run(function* () {
      const journal = memoryJournal();
      const first = story();
      const whole = yield* play({ ...first.options, journal });
      const expected = verdicts(whole.events);
      expect(expected).toEqual([
        "review:matched 1",
        "review:restarted 1",
        "review:restarted 1",
        "review:passed 1",
        "review:matched 2",
        "review:failed 2",
        "review:matched 3",
        "review:restarted 3",
        "review:passed 3",
      ]);
      for (let length = 0; length <= journal.entries.length; length++) {
        const recorded = journal.entries.slice(0, length);
        const again = story(recorded); // its judges go on where the record ends
        const rig = yield* play({
          ...again.options,
          clock: clockAfter(recorded),
          journal: memoryJournal(recorded),
        });
        expect(rig.result.agents[0], `from ${length}`).toMatchObject({
          exit: "returned",
          result: "2 is cancelled",
        });
        expect(verdicts(rig.events)).toEqual(expected);
        if (again.model.requests.length > 0) expect(told(again.model)).toBe(told(first.model));
        const given = answersIn(recorded);
        expect(asked(again.judges)).toBe(asked(first.judges) - given.rules - given.step - given.report);
        expect(again.cancelled.length + cancelledIn(recorded)).toBe(1);
      }
    }));

  it("counts what recorded reviews used once", () =>
    run(function* () {
      const journal = memoryJournal();
      const whole = yield* play({ ...story().options, journal });
      const rig = yield* play({
        ...story().options,
        clock: clockAfter(journal.entries),
        journal: memoryJournal(journal.entries),
      });
      expect(rig.result.totals).toEqual(whole.result.totals);
    }));
});

interface Used {
  readonly usage: { readonly input: number; readonly output: number };
}

describe("pool show", () => {
  it("has a line for each review: who asked, what it came to, what it took", () =>
    run(function* () {
      const verdict = (value: object) =>
        streamed(
          chatEvents({
            text: JSON.stringify(value),
            finish: "stop",
            usage: { input: 300, output: 20, cached: 0 },
          }),
        );
      // the embedded engine proposes the same again: the verdict stands until no restart is left
      const wire = yield* useWire(() =>
        verdict({ passed: false, todo: null, adjustedReasoning: "I look in the file first." }),
      );
      const cwd = folderWith({
        "docs/emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in 1815.\n",
        "harness.yml": `model: extractive
models: { "review.*": openai-compatible/judge }
providers: { openai-compatible: { baseURL: "${wire.url}/v1" } }
policy: { review: { tools: [read] } }
tools: { corpus: { path: docs } }
`,
      });
      expect((yield* until(call(["run", "Who wrote Emma?"], { cwd }))).code).toBe(0);
      const [{ id }] = JSON.parse((yield* until(call(["runs", "--json"], { cwd }))).stdout);
      const { stdout, stderr } = yield* until(call(["show", id], { cwd }));
      expect(stderr).toBe("");
      expect(stdout).toMatch(
        /step was sent back, read {2}I look in the file first\. {2}openai-compatible\/judge · 320 tokens/,
      );
      expect(stdout).toContain("openai-compatible/judge · as before");
      expect(stdout).toMatch(/^ +\d+ {2}sent back · /m);
      expect(stdout).not.toContain("nothing came of it");
      expect(stdout).toContain("step was not vouched for, read  exhausted: I look in the file first.");
      const shown = JSON.parse((yield* until(call(["show", id, "--json"], { cwd }))).stdout);
      const reviews = shown.agentViews.flatMap(({ turns }: { turns: { reviews: unknown[] }[] }) =>
        turns.flatMap(({ reviews }) => reviews),
      );
      expect(reviews[0]).toMatchObject({
        subject: "step",
        verdict: "restarted",
        message: "I look in the file first.",
        asked: [{ by: "tool", tool: "read" }],
        usage: { input: 300, output: 20 },
      });
      expect(wire.received).toHaveLength(1);
      // what reviews used is part of what the run and its agents used
      expect(shown.usage.input + shown.usage.output).toBe(shown.tokens);
      for (const { agent, turns } of shown.agentViews) {
        const used = turns.flatMap(({ usage, reviews }: Used & { reviews: Used[] }) => [
          usage,
          ...reviews.map((review) => review.usage),
        ]);
        const sum = used.reduce((sum: number, { input, output }: Used["usage"]) => sum + input + output, 0);
        expect(stdout).toMatch(new RegExp(`^ *${agent} .* ${short(sum)} tokens`, "m"));
      }
    }));
});

describe("pool approvals", () => {
  it("shows the review that a call has passed before a person is asked about it", () =>
    run(function* () {
      const wire = yield* useWire(({ body }) =>
        body.includes("You review the work")
          ? streamed(
              chatEvents({
                text: JSON.stringify({ passed: true, todo: "Say when it is done.", adjustedReasoning: null }),
                finish: "stop",
              }),
            )
          : streamed(
              chatEvents({
                calls: [{ id: "a", tool: "cancel_order", input: '{"order":2}' }],
                finish: "tool_calls",
              }),
            ),
      );
      const cwd = folderWith({
        "p.ts": `
          import { parallel, reportTool } from "@agentpool/core";
          import { defineHarness } from "@agentpool/harness";
          const cancel_order = {
            name: "cancel_order", description: "Cancels an order.", consequential: true,
            parameters: { type: "object", properties: { order: { type: "number" } } },
            execute: () => "done",
          };
          export default defineHarness({
            tools: [cancel_order],
            *run(question, { pool }) {
              yield* pool({ terminal: reportTool, orchestrate: parallel([question]) });
            },
          });`,
        "harness.yml": `program: ./p.ts
model: openai-compatible/served
providers: { openai-compatible: { baseURL: "${wire.url}/v1" } }
policy: { requireApproval: [cancel_order] }
`,
      });
      const { code } = yield* until(pool(["run", "Cancel order 2."], { cwd }));
      expect(code).toBe(3); // it waits for people
      const { stdout } = yield* until(call(["approvals"], { cwd }));
      expect(stdout).toContain('cancel_order {"order":2}');
      expect(stdout).toContain(
        "Reviewed by openai-compatible/served: passed, still to do: Say when it is done.",
      );
    }));
});

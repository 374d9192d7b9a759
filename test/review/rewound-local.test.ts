import {
  type AgentPoolOptions,
  agentPool,
  defineTool,
  type PoolEvent,
  parallel,
  reportTool,
} from "@agentpool/core";
import { reviewer } from "@agentpool/review";
import { race, run, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { noiseModel, useWatched } from "../../packages/llama/test/noise.ts";
import { memoryJournal } from "../resume/memory-journal.ts";
import { breach, course, judging, pass } from "./support.ts";

// Models in this process: what they compute is watched token by token.

const habits = { "<|im_end|>": 4.5, '"': 8, "]": 6, "}": 6 };
const look = defineTool({
  name: "look",
  description: "Looks something up.",
  parameters: z.object({ what: z.string().min(8).max(20) }),
  consequential: true,
  execute: () => "It was looked up.",
});

/** What the sequences held when each turn of agents was complete. */
function* watching(sequences: number) {
  const model = yield* useWatched(noiseModel({ habits }), { calls: "always", maxTokens: 600, sequences });
  const events: PoolEvent[] = [];
  const held: { readonly agent: string; readonly text: string }[] = [];
  const onEvent = (event: PoolEvent): void => {
    events.push(event);
    if (event.type !== "turn:completed") return;
    const { sequence } = model.kernel.batches.at(-1)!.at(-1)!;
    held.push({ agent: event.agent, text: model.loaded.texts.plain([...model.kernel.held[sequence]!], []) });
  };
  return { model, events, held, onEvent };
}

/** What an agent's own part of a sequence was when a turn after a restart began. */
const computedFrom = (text: string): string => {
  const goOn = "Go on from this reasoning.";
  return text.slice(text.lastIndexOf("Look it up."), text.lastIndexOf(goOn) + goOn.length);
};
const ONCE = /^Look it up\.\s*assistant\s*First I wait\.\s*user\s*Go on from this reasoning\.$/;

describe("a model in this process", () => {
  it("computes each attempt from what stood before it, however often a step is sent back", () =>
    run(function* () {
      const { model, events, held, onEvent } = yield* watching(1);
      yield* agentPool({
        model,
        system: "You look things up, and report.",
        orchestrate: parallel(["Look it up."]),
        tools: [look],
        terminal: { ...reportTool, consequential: true },
        budget: { maxTurns: 1 },
        recovery: "none",
        reviewer: reviewer({ models: judging(breach("First I wait."), breach("Then I ask."), pass()) }),
        onEvent,
      });
      expect(course(events).filter((type) => type === "review:restarted").length).toBeGreaterThanOrEqual(2);
      expect(held.length).toBeGreaterThanOrEqual(3);
      expect(held[0]!.text).toMatch(/Look it up\.\s*assistant\s*\|\|call: /);
      expect(computedFrom(held[1]!.text)).toMatch(ONCE);
      expect(computedFrom(held[2]!.text)).toMatch(
        /^Look it up\.\s*assistant\s*First I wait\.\s*user\s*Go on from this reasoning\.\s*assistant\s*Then I ask\.\s*user\s*Go on from this reasoning\.$/,
      );
    }));

  for (const sequences of [1, 2])
    it(`reviews its own agents, with ${sequences} sequence${sequences > 1 ? "s" : ""} for all: nobody waits for ever, and nothing of a review is in their conversations`, () =>
      run(function* () {
        const { model, events, held, onEvent } = yield* watching(sequences);
        const { agents } = yield* agentPool({
          model,
          system: "You look things up, and report.",
          orchestrate: parallel(["Look one up.", "Look two up."]),
          tools: [look],
          terminal: reportTool,
          budget: { maxTurns: 2 },
          recovery: "none",
          reviewer: reviewer({ models: model }),
          onEvent,
        });
        expect(agents).toHaveLength(2);
        const reviews = course(events);
        expect(reviews.filter((type) => type === "review:started").length).toBeGreaterThan(0);
        expect(reviews.length % 2).toBe(0); // each came to something
        for (const { text } of held) expect(text).not.toContain("You review the work");
        const own = held.filter(({ text }) => text.includes("Look one up."));
        for (const { text } of own) expect(text).not.toContain("Look two up.");
      }));

  it("computes the next attempt from the same in a process after the one in which the step was sent back", () =>
    run(function* () {
      const journal = memoryJournal();
      const story = (more: Partial<AgentPoolOptions>) => ({
        run: "r",
        system: "You look things up, and report.",
        orchestrate: parallel(["Look it up."]),
        tools: [look],
        terminal: { ...reportTool, consequential: true },
        budget: { maxTurns: 1 },
        recovery: "none" as const,
        reviewer: reviewer({ models: judging(breach("First I wait."), pass()) }),
        ...more,
      });
      const before = yield* watching(1);
      const sentBack = withResolvers<void>();
      yield* race([
        sentBack.operation,
        agentPool(
          story({
            model: before.model,
            journal,
            onEvent(event) {
              before.onEvent(event);
              if (event.type === "turn:restarted") sentBack.resolve();
            },
          }),
        ),
      ]);
      expect(before.held).toHaveLength(1);
      const recorded = journal.entries.slice(
        0,
        journal.entries.findIndex(({ type }) => type === "turn:restarted") + 1,
      );

      const after = yield* watching(1);
      yield* agentPool(
        story({
          model: after.model,
          journal: memoryJournal(recorded),
          reviewer: reviewer({ models: judging(pass()) }),
          onEvent: (event) => {
            if (!event.past) after.onEvent(event);
          },
        }),
      );
      const text = after.held[0]!.text;
      expect(computedFrom(text)).toMatch(ONCE);
      // as it stood there before the step
      const shared = before.held[0]!.text.slice(0, before.held[0]!.text.lastIndexOf("Look it up."));
      expect(text.startsWith(shared)).toBe(true);
    }));
});

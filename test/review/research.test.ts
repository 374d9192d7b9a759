import { defineTool, type PoolEvent, type Tool } from "@agentpool/core";
import { extractive } from "@agentpool/models";
import { research } from "@agentpool/research";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answering } from "../../packages/models/src/extractive/tools.testing.ts";
import { ofType } from "../scenarios/support.ts";
import { breach, judging, pass, reviewsIn } from "./support.ts";

const look = answering({
  "emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in December 1815.",
});
const tool = (name: string, parameters: z.ZodObject): Tool =>
  defineTool({
    name,
    description: name,
    parameters,
    execute(args) {
      const answer = look(name, args);
      if ("error" in answer) throw new Error(answer.error);
      return answer.value;
    },
  });
const tools = [
  tool("search", z.object({ query: z.string() })),
  tool("read", z.object({ path: z.string(), from: z.int().optional(), to: z.int().optional() })),
];

describe("the research job", () => {
  it("has the steps of its agents reviewed; rules about tools are none of the business of stages without them", () =>
    run(function* () {
      const events: PoolEvent[] = [];
      const brief = yield* research({
        question: "Who wrote Emma?",
        model: extractive(),
        tools,
        review: { tools: ["read"] },
        rules: [
          { title: "Reading", content: "Read whole files.", tools: ["read"] },
          { title: "Words", content: "Quote word by word." },
        ],
        instructions: "Be brief.",
        reviewer: reviewer({ models: judging(pass()) }),
        onEvent: (event) => events.push(event),
      });
      expect(brief.sources.length).toBeGreaterThan(0);
      expect(ofType(events, "review:passed").every(({ agent }) => agent.startsWith("research/"))).toBe(true);
      expect(ofType(events, "review:passed").length).toBeGreaterThan(0);
    }));

  it("has its brief reviewed before it is made, and makes it of the reports where nobody vouches for it", () =>
    run(function* () {
      const events: PoolEvent[] = [];
      const brief = yield* research({
        question: "Who wrote Emma?",
        model: extractive(),
        tools,
        review: "messages",
        reviewer: reviewer({
          models: judging(pass(), pass(), breach("I submit less.")),
          reportRestarts: { medium: 1 },
        }),
        onEvent: (event) => events.push(event),
      });
      const reviewed = reviewsIn(events).flatMap(({ type, agent }) =>
        type === "review:started" ? [agent.split("/")[0]] : [],
      );
      expect(new Set(reviewed)).toEqual(new Set(["plan", "research", "synthesis"]));
      expect(ofType(events, "review:failed").some(({ problem }) => problem === "exhausted")).toBe(true);
      expect(brief.status).toBe("partial");
      expect(brief.sources.length).toBeGreaterThan(0);
    }));
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PoolEvent, ToolLifecycleHooks } from "@agentpool/core";
import { extractive } from "@agentpool/models";
import {
  type Brief,
  inquire,
  Ledger,
  type ResearchOptions,
  renderBrief,
  research,
  synthesise,
} from "@agentpool/research";
import { corpusTools, useCorpus } from "@agentpool/tools";
import { type Operation, run } from "effection";
import { afterAll, describe, expect, it } from "vitest";
import { noiseModel, useWatched, type WatchedModel } from "./noise.ts";

const folder = mkdtempSync(join(tmpdir(), "agentpool-papers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const austen = "Emma was written by Jane Austen.";
writeFileSync(join(folder, "emma.md"), `# Emma\n\n${austen} It was published in 1815.\n`);
writeFileSync(join(folder, "newton.md"), "# Newton\n\nNewton was born in 1643.\n");

/** Its strings come to an end soon, so that its calls do. */
const path = noiseModel({ habits: { "<|im_end|>": 4.5, '"': 8, "]": 6, "}": 6 } });
const useNoise = () =>
  useWatched(path, { contextWindow: 8_192, sequences: 3, maxTokens: 1_000, calls: "always", patience: 0 });

interface Job {
  readonly brief: Brief;
  readonly events: readonly PoolEvent[];
}

function* job(model: WatchedModel, more: Partial<ResearchOptions> = {}): Operation<Job> {
  const corpus = yield* useCorpus({ paths: folder });
  const events: PoolEvent[] = [];
  const brief = yield* research({
    question: "Who wrote Emma, and when was Newton born?",
    model,
    tools: corpusTools(corpus),
    verifier: corpus,
    effort: "low",
    guards: { query_dedup: { scope: "cohort" } },
    ...more,
    onEvent: (event) => events.push(event),
  });
  return { brief, events };
}

const ended = (events: readonly PoolEvent[]) =>
  events.flatMap((event) => (event.type === "agent:ended" ? [event.result] : []));
const refusedBy = (events: readonly PoolEvent[]) =>
  events.flatMap((event) => (event.type === "call:refused" ? [event.guard] : []));

/** What the noise says is put right, so that everything after it has something to work on. */
const putRight: ToolLifecycleHooks = {
  name: "put right",
  rewrite({ call, agent }) {
    const replaced = (args: Record<string, unknown>, other = call.tool) =>
      ({ type: "rewrite", tool: other, args, mode: "replace" }) as const;
    if (agent.key.startsWith("plan/"))
      return replaced({ questions: ["Who wrote Emma?", "Who wrote it?", "Whose is Emma?"] }, "submit_plan");
    if (agent.turns <= 1) return replaced({ query: "emma" }, "search");
    if (agent.turns === 2) return replaced({ path: "emma.md" }, "read");
    return replaced(
      { result: "Austen.", findings: [{ quote: austen, path: "emma.md", confidence: 0.9 }] },
      "report",
    );
  },
};

describe("the whole research job on a model in this process", () => {
  it("ends in a brief whatever the model says, every call of it in its schema's form", () =>
    run(function* () {
      const model = yield* useNoise();
      const { brief, events } = yield* job(model);
      expect(ended(events).map(({ key }) => key)).toContain("research/0");
      expect(ended(events).every(({ exit }) => exit !== "model_error")).toBe(true);
      expect(refusedBy(events)).not.toContain("invalid");
      expect(renderBrief(brief)).toContain("Emma");
      expect(brief.totals.usage.cached).toBeGreaterThan(brief.totals.usage.input / 2);
      expect(model.kernel.samplers).toBe(0);
    }));

  it("plans, forks an agent for each question, guards what they read, and makes a brief of verified quotations", () =>
    run(function* () {
      const model = yield* useNoise();
      const { brief, events } = yield* job(model, { hooks: [putRight], models: { synthesis: extractive() } });
      const keys = ended(events).map(({ key }) => key);
      expect(keys.sort()).toEqual(["plan/0", "research/0", "research/1", "research/2", "synthesis/0"]);
      // The spine of the researchers is copied to each of them, and nobody computes it again.
      expect(model.kernel.copies.length).toBeGreaterThanOrEqual(2);
      expect(refusedBy(events).filter((guard) => guard === "query_dedup")).toHaveLength(2);
      const quotations = brief.sections.flatMap(({ quotations }) => quotations);
      expect(quotations.map(({ text }) => text)).toContain(austen);
      expect(quotations[0]).toMatchObject({ source: "emma.md", lines: [3, 3] });
      expect(model.kernel.samplers).toBe(0);
      expect(model.loaded.engine.busy).toBe(false);
    }));

  it("marks a brief partial unless its synthesis came to its end by itself and cites what was found, and loses none of it", () =>
    run(function* () {
      const model = yield* useNoise();
      const corpus = yield* useCorpus({ paths: folder });
      const ledger = new Ledger({ verifier: corpus });
      const question = "Who wrote Emma?";
      const { answers } = yield* inquire([question], {
        model: extractive(),
        tools: corpusTools(corpus),
        ledger,
      });
      expect(answers[0]?.findings.length).toBeGreaterThan(0);
      for (let times = 0; times < 4; times++) {
        const events: PoolEvent[] = [];
        const brief = yield* synthesise(
          { question, answers },
          { model, tools: [], ledger, onEvent: (event) => events.push(event) },
        );
        const [{ exit } = { exit: "never" }] = ended(events);
        const said = brief.notices.join(" ");
        const citesNothing = said.includes("cited nothing that was found");
        expect(brief.status === "complete").toBe(exit === "returned" && !citesNothing);
        expect(said.includes("did not come to its end")).toBe(exit !== "returned");
        expect(brief.sections.flatMap(({ quotations }) => quotations)).not.toEqual([]);
        expect(brief.totals.usage.input).toBeLessThan(8_192 * 4);
      }
    }));
});

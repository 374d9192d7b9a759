import { type Model, parallel, reportTool } from "@agentpool/core";
import { type ScriptedMoment, type ScriptedTurn, scripted } from "@agentpool/models";
import { conformance, registerConformance } from "@agentpool/models/conformance";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { Transcript } from "../../packages/core/src/runtime/transcript.ts";
import { ask, instant, play, report } from "../scenarios/support.ts";
import { judging, pass } from "./support.ts";

/** An agent that does as it is asked. */
function obedient({ request }: ScriptedMoment): ScriptedTurn {
  const { toolChoice = "auto", tools, output } = request;
  if (typeof toolChoice === "object") return { reasoning: "As told.", calls: [{ tool: toolChoice.tool }] };
  if (toolChoice === "none" || tools.length === 0) return { text: output ? '{"ready":true}' : "Ready." };
  return { text: "All of them.", calls: tools.map((tool) => ({ tool, args: { text: "The sky is blue." } })) };
}

const kept = (model: Model): Model => ({
  ...model,
  *open(prefix) {
    return new Transcript(yield* model.open(prefix));
  },
});

// A session that keeps what is said is a session like any other.
registerConformance(
  conformance("scripted, with what is said kept", () => kept(scripted(() => obedient))),
  { describe, it },
);

describe("what is kept of a conversation", () => {
  it("is what the model was shown, through forks, restarts and results", () =>
    run(function* () {
      const judge = judging({ text: '{"passed":false,"adjustedReasoning":"With care."}' }, pass());
      const model = scripted(() => [
        { reasoning: "Quickly.", ...ask("search", { q: "a" }) },
        { reasoning: "Slowly.", text: "I look.", ...ask("search", { q: "b" }) },
        { text: "Once more.", ...ask("search", { q: "c" }) },
        report(),
      ]);
      yield* play({
        terminal: reportTool,
        orchestrate: parallel(["Find it."]),
        model,
        tools: [instant("search")],
        review: true,
        reviewer: reviewer({ models: judge }),
      });
      const [, , third] = judge.requests;
      const text = JSON.stringify(third!.messages);
      for (const said of ["Find it.", "With care.", "Slowly.", "I look.", "Once more.", "answer"])
        expect(text).toContain(said);
      expect(text).not.toContain("Quickly.");
    }));
});

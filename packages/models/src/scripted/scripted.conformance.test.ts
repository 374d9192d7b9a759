import { suspend, withResolvers } from "effection";
import { describe, it } from "vitest";
import { conformance, registerConformance } from "../conformance/index.ts";
import type { ScriptedMoment, ScriptedTurn } from "./script.ts";
import { scripted } from "./scripted.ts";

/** An agent that does as it is asked. */
function obedient({ request }: ScriptedMoment): ScriptedTurn {
  const { toolChoice = "auto", tools, output } = request;
  if (typeof toolChoice === "object") return { reasoning: "As told.", calls: [{ tool: toolChoice.tool }] };
  if (toolChoice === "none" || tools.length === 0) return { text: output ? '{"ready":true}' : "Ready." };
  return { text: "All of them.", calls: tools.map((tool) => ({ tool, args: { text: "The sky is blue." } })) };
}

function hanging() {
  const started = withResolvers<void>();
  let held = 0;
  const model = scripted(() => [
    {
      wait: {
        *[Symbol.iterator]() {
          held++;
          started.resolve();
          try {
            yield* suspend();
          } finally {
            held--;
          }
        },
      },
    },
  ]);
  return { model, started: started.operation, held: () => held };
}

registerConformance(
  conformance("scripted", () => scripted(() => obedient), {
    shown: (model) => model.requests.map(({ messages }) => messages),
    hanging,
  }),
  { describe, it },
);

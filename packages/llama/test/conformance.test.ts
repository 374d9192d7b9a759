import type { Model, Session } from "@agentpool/core";
import { conformance, registerConformance } from "@agentpool/models/conformance";
import { type Operation, withResolvers } from "effection";
import { describe, it } from "vitest";
import { noiseModel, sharedModel } from "./noise.ts";

const path = noiseModel();
const endless = sharedModel(noiseModel({ habits: {} }), { maxTokens: 2_000 });

for (const calls of ["free", "choose", "always"] as const) {
  const model = sharedModel(path, { calls });
  registerConformance(conformance(`llama with calls: ${calls}`, model, { hanging }), { describe, it });
}

/** One that goes on and on. */
function hanging() {
  const begun = withResolvers<void>();
  let held = () => 0;
  const model: Model = {
    id: "llama:endless",
    *open(prefix): Operation<Session> {
      const { kernel, loaded, open } = yield* endless();
      const session = yield* open(prefix);
      kernel.onBatch = begun.resolve;
      held = () => loaded.seats.writing;
      return session;
    },
  };
  return { model, started: begun.operation, held: () => held() };
}

import type { Model } from "@agentpool/core";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV3 } from "ai/test";
import { withResolvers } from "effection";
import { describe, it } from "vitest";
import { conformance, registerConformance } from "../conformance/index.ts";
import { fromAiSdk } from "./from-ai-sdk.ts";
import { obedientModels } from "./mock.testing.ts";

/** Asks for a part only when somebody waits for one. */
const emptyQueue = new CountQueuingStrategy({ highWaterMark: 0 });

/** A request whose answer never comes: neither headers nor, with `body`, the first part. */
function hanging(body: boolean) {
  const begun = withResolvers<void>();
  let held = 0;
  const model = new MockLanguageModelV3({
    doStream: ({ abortSignal }) => {
      held++;
      if (body) {
        const pull = () => begun.resolve();
        const stream = new ReadableStream<LanguageModelV3StreamPart>(
          { pull, cancel: () => void held-- },
          emptyQueue,
        );
        return Promise.resolve({ stream });
      }
      return new Promise((_, reject) => {
        abortSignal?.addEventListener("abort", () => {
          held--;
          reject(abortSignal.reason);
        });
        begun.resolve();
      });
    },
  });
  return { model: fromAiSdk(model), started: begun.operation, held: () => held };
}

for (const [version, make] of Object.entries(obedientModels)) {
  const shownBy = new WeakMap<Model, ReturnType<typeof make>["calls"]>();
  registerConformance(
    conformance(
      `fromAiSdk of specification ${version}`,
      () => {
        const { model, calls } = make();
        const adapted = fromAiSdk(model);
        shownBy.set(adapted, calls);
        return adapted;
      },
      {
        shown: (model) => shownBy.get(model)!.map(({ prompt }) => prompt),
        hanging: () => hanging(version === "v2"),
      },
    ),
    { describe, it },
  );
}

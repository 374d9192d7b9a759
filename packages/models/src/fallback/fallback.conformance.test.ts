import type { Model } from "@agentpool/core";
import { APICallError } from "@ai-sdk/provider";
import { describe, it } from "vitest";
import { fromAiSdk } from "../ai-sdk/from-ai-sdk.ts";
import { obedientModels, playing } from "../ai-sdk/mock.testing.ts";
import { conformance, registerConformance } from "../conformance/index.ts";
import { fallback } from "./fallback.ts";

const refused = new APICallError({ message: "no", url: "http://x", requestBodyValues: {}, statusCode: 401 });

/** The first model answers; or it refuses the key, so that every conversation moves in the middle of its first turn. */
for (const [name, isDown] of [
  ["a list of models whose first answers", false],
  ["a list of models whose conversations move", true],
] as const) {
  const shownBy = new WeakMap<Model, ReturnType<typeof obedientModels.v3>["calls"]>();
  const make = () => {
    const { model, calls } = obedientModels.v3();
    const obedient = fromAiSdk(model, { id: "obedient" });
    const down = fromAiSdk(playing(refused), { id: "down" });
    const list = fallback(isDown ? [down, obedient] : [obedient, down]);
    shownBy.set(list, calls);
    return list;
  };
  registerConformance(
    conformance(name, make, { shown: (model) => shownBy.get(model)!.map(({ prompt }) => prompt) }),
    { describe, it },
  );
}

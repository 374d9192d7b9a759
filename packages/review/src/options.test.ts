import { scripted } from "@agentpool/models";
import { expect, it } from "vitest";
import { optionsOf } from "./options.ts";

it("a reviewer is shown as much of a conversation as it is told, and no more than half of what it can hold", () => {
  const model = (contextWindow?: number) => ({
    ...scripted(() => []),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  });
  const usual = optionsOf({});
  expect(usual.tokensFor(model())).toBe(24_000);
  expect(usual.tokensFor(model(8_000))).toBe(4_000);
  expect(optionsOf({ conversationTokens: 1_000 }).tokensFor(model(8_000))).toBe(1_000);
});

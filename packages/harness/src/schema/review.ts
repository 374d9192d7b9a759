import { z } from "zod";
import { effort } from "./effort.ts";
import { count, key, names, text } from "./keys.ts";

export const scope = (description: string) =>
  key(z.union([z.boolean(), z.enum(["messages", "all"])]), "true, false, messages or all", description);

export const rule = key(
  z.strictObject({
    title: text("text", "How the rule is named on record."),
    content: text("text", "What a policy says to do, or the situation that an observation names."),
    when: text(
      "text",
      "When it applies, in words: held against the conversation before each turn.",
    ).optional(),
    kind: key(
      z.enum(["policy", "observation"]),
      "policy or observation",
      "Whether it says what to do, or only names a situation.",
    ).optional(),
    tools: names(
      "tool names, identities or patterns",
      "The tools it is about: where an agent has none of them it does not apply.",
    ).optional(),
    weight: key(z.enum(["low", "medium", "high"]), "low, medium or high", "How much it matters.").optional(),
    effort: effort("The least effort of turns that it applies to.").optional(),
    review: scope(
      "What is reviewed on turns that it applies to: their steps (true), their report (messages), or both (all).",
    ).optional(),
  }),
  "a map of title, content, when, kind, tools, weight, effort and review",
  "Something agents keep to. Its content enters the instructions of the turns that it applies to.",
);

export const restarts = (description: string) =>
  key(
    z.strictObject({
      low: count(0, "At effort low. Default 2.").optional(),
      medium: count(0, "At effort medium. Default 3.").optional(),
      high: count(0, "At effort high. Default 5.").optional(),
      max: count(0, "At effort max. Default 10.").optional(),
    }),
    "a map of low, medium, high and max",
    description,
  );

import { dedup, type GuardOverrides, type ToolGuard } from "@agentpool/core";
import { until } from "effection";

export const message = "It was read before. Ask for something else.";

/** The same guard, written in each of the ways there are. */
export const guards: { readonly [kind: string]: ToolGuard } = {
  keyed: dedup("query_dedup", ({ q }) => q, { message, tools: ["search"] }),
  predicate: {
    name: "query_dedup",
    message,
    tools: ["search"],
    reject: ({ args, attended }) => attended().some(({ q }) => q === args.q),
  },
  "asynchronous predicate": {
    name: "query_dedup",
    message,
    tools: ["search"],
    async reject({ args, attended }) {
      await null;
      const read = attended();
      await null;
      return read.some(({ q }) => q === args.q);
    },
  },
  "deciding operation": {
    name: "query_dedup",
    tools: ["search"],
    *decide({ args, attended }) {
      yield* until(Promise.resolve());
      return attended().some(({ q }) => q === args.q) ? { type: "refuse", message } : undefined;
    },
  },
};

export const cohort: GuardOverrides = { query_dedup: { scope: "cohort" } };

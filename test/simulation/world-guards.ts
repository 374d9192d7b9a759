import { dedup, type GuardOverrides, sleepOn, type ToolGuard } from "@agentpool/core";
import type { Witness, World } from "./world.ts";
import { TOOLS } from "./world-hooks.ts";

export function guardOf(world: World, tool: string, { clock }: Witness, latency: () => number): ToolGuard {
  const name = `${tool}_dedup`;
  const message = "read already";
  switch (world.guard) {
    case "keyed":
      return dedup(name, ({ k }) => k, { message });
    case "predicate":
      return { name, message, reject: ({ args, attended }) => attended().some(({ k }) => k === args.k) };
    case "async predicate":
      return {
        name,
        message,
        *reject({ args, attended }) {
          const read = attended();
          yield* sleepOn(clock, Math.floor(latency() * 3));
          return read.some(({ k }) => k === args.k);
        },
      };
    case "promised predicate":
      return {
        name,
        message,
        async reject({ args, attended }) {
          await null;
          return attended().some(({ k }) => k === args.k);
        },
      };
  }
}

export const scopesOf = ({ scope }: World): GuardOverrides =>
  Object.fromEntries(TOOLS.map((tool) => [`${tool}_dedup`, { scope }]));

import type { ScriptedMoment, ScriptedTurn } from "@agentpool/models";
import { chance } from "./random.ts";
import type { World } from "./world.ts";

const depthOf = (key: string): number => key.split("~").length - 1;

/** What an agent says in a turn. Agents of nested pools ask once, and are nested two deep at most. */
export function turnOf(
  world: World,
  key: string,
  { turn, request }: ScriptedMoment,
  latency: () => number,
): ScriptedTurn {
  const wait = Math.floor(latency() * 5);
  const last = depthOf(key) === 0 ? world.turns : 1;
  if (request.toolChoice === "none") return { text: `${key} is done`, wait };
  if (turn > last)
    return chance(world.seed, key, turn, "close") < world.close
      ? { wait, calls: [{ tool: "close", args: { k: key } }] }
      : { text: `${key} is done`, wait };
  const calls = 1 + Math.floor(chance(world.seed, key, turn, "calls") * 3);
  return {
    wait,
    calls: Array.from({ length: calls }, (_, index) => {
      const k = `k${Math.floor(chance(world.seed, key, turn, index, "key") * world.keys)}`;
      const dice = chance(world.seed, key, turn, index, "tool");
      if (chance(world.seed, key, turn, index, "where") < world.client) return { tool: "pick", args: { k } };
      if (dice < world.delegate && depthOf(key) < 2)
        return { tool: dice < world.delegate / 2 ? "delegate" : "delegateAsync", args: { k } };
      return { tool: chance(world.seed, key, turn, index, "kind") < 0.5 ? "read" : "fetch", args: { k } };
    }),
  };
}

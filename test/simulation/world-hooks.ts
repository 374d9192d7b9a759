import { requireApproval, type ToolLifecycleHooks } from "@agentpool/core";
import { chance } from "./random.ts";
import type { World } from "./world.ts";

export const TOOLS = ["read", "fetch", "pick", "delegate", "delegateAsync"];

/** Whether a person has to be asked about a call: what it asks for decides, so that it can be told from outside. */
export const needsPerson = ({ seed, approve }: World, identity: string, k: unknown): boolean =>
  chance(seed, identity, String(k), "approve") < approve;

/** The harness: it rewrites some calls, asks people about some, and sends some steps back. */
export const hooksOf = (world: World): readonly ToolLifecycleHooks[] => [
  ...(world.rewrite > 0 ? [rewriting(world)] : []),
  ...(world.approve > 0 ? [asking(world)] : []),
  ...(world.restart > 0 ? [judging(world)] : []), // steps that are judged run in order: not in every world
];

const rewriting = ({ seed, rewrite, keys }: World): ToolLifecycleHooks => ({
  rewrite({ call: { id, tool, args } }) {
    if (chance(seed, id, "rewrite") >= rewrite) return undefined;
    if (tool === "read") return { type: "rewrite", tool: "fetch", args, mode: "replace" };
    return { type: "rewrite", args: { k: `k${Math.floor(chance(seed, id, "to") * keys)}` }, mode: "merge" };
  },
});

const asking = (world: World): ToolLifecycleHooks => ({
  beforeDispatch: [
    {
      name: "people",
      tools: TOOLS.filter((tool) => tool !== "pick"),
      decide: ({ identity, args }) =>
        needsPerson(world, identity, args.k) ? requireApproval("somebody should look") : undefined,
    },
  ],
});

const judging = ({ seed, restart }: World): ToolLifecycleHooks => ({
  onPropose: ({ agent, turn, attempt }) =>
    chance(seed, agent.key, turn, attempt, "restart") < restart
      ? { type: "restart", reasoning: "Otherwise." }
      : undefined,
});

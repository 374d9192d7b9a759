import type { ApprovalDesk } from "@agentpool/core";
import { chance } from "./random.ts";
import type { Witness, World } from "./world.ts";

function after(witness: Witness, ms: number, answer: () => void): void {
  witness.answering++;
  witness.clock.at(witness.clock.now() + ms, () => {
    witness.answering--;
    answer();
  });
}

/** A person decides after a while, in whatever order that makes, or never. */
export function decideLater(world: World, witness: Witness, approvals: ApprovalDesk, id: string): void {
  if (chance(world.seed, id, "never") < world.never) return;
  after(witness, 1 + Math.floor(chance(world.lat, id, "decided") * 60), () => {
    if (!approvals.list().some((approval) => approval.id === id)) return;
    if (chance(world.seed, id, "decision") < 0.6) approvals.approve(id);
    else approvals.deny(id, "no");
  });
}

/** A client submits all results that its agent waits for after a while, or never. */
export function submitLater(
  world: World,
  witness: Witness,
  { agent, call }: { agent: string; call: string },
): void {
  if (chance(world.seed, call, "never") < world.never) return;
  after(witness, 1 + Math.floor(chance(world.lat, call, "submitted") * 40), () => {
    const open = witness.handle!.clientCalls().filter((asked) => asked.agent === agent);
    if (open.some(({ id }) => id === call))
      witness.handle!.submit(Object.fromEntries(open.map(({ id, args }) => [id, { picked: args.k }])));
  });
}

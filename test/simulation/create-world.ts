import {
  type AgentPoolOptions,
  ApprovalDesk,
  type ManualClock,
  manualClock,
  type PoolEvent,
  parallel,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { random } from "./random.ts";
import type { Witness, World } from "./world.ts";
import { decideLater, submitLater } from "./world-answers.ts";
import { scopesOf } from "./world-guards.ts";
import { hooksOf } from "./world-hooks.ts";
import { turnOf } from "./world-script.ts";
import { toolsOf } from "./world-tools.ts";

export function createWorld(
  world: World,
  clock: ManualClock = manualClock(),
): { readonly options: AgentPoolOptions; readonly witness: Witness } {
  const latency = random(world.lat);
  const played = scripted(
    ({ key }) =>
      (moment) =>
        turnOf(world, key, moment, latency),
  );
  const model = world.memory > 0 ? { ...played, capacity: { tokens: world.memory } } : played;
  const events: PoolEvent[] = [];
  const witness: Witness = {
    clock,
    events,
    handle: undefined,
    moments: model.requests,
    answering: 0,
    bodies: 0,
    mostBodies: 0,
    inside: 0,
    stopping: false,
    late: [],
    closed: [],
  };
  const approvals = new ApprovalDesk();
  const options: AgentPoolOptions = {
    model,
    approvals,
    hooks: hooksOf(world),
    system: "",
    clock,
    ...toolsOf(world, witness, latency),
    orchestrate: parallel(Array.from({ length: world.agents }, (_, index) => `task ${index}`)),
    guards: scopesOf(world),
    budget: {
      maxTurns: world.turns + 1,
      maxToolCalls: world.maxToolCalls,
      maxToolRetries: 1,
      runRetries: 6,
      concurrentTools: world.concurrentTools,
      concurrentGenerations: world.concurrentGenerations,
    },
    onEvent: (event) => {
      events.push(event);
      if (event.type === "approval:requested") decideLater(world, witness, approvals, event.approval.id);
      if (event.type === "call:parked" && event.reason === "client") submitLater(world, witness, event);
      if (witness.stopping && (event.type === "call:dispatched" || event.type === "turn:started"))
        witness.late.push(`${event.type} ${event.agent}`);
    },
  };
  return { options, witness };
}

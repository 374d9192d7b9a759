import type { PoolEvent } from "@agentpool/core";
import { expect, test } from "vitest";
import { EverybodyWaits } from "./everybody-waits.ts";

const event = (happening: object) => ({ run: "r", at: 0, ...happening }) as PoolEvent;
const spawned = (agent: string, pool = "p") =>
  event({ type: "agent:spawned", agent, task: "", parent: undefined, depth: 0, pool });
const state = (agent: string, to: string, reason?: string) =>
  event({ type: "agent:state", agent, state: to, reason });

test("everybody waits once no agent is left that does anything but wait for a person", () => {
  const waits = new EverybodyWaits();
  const seen = [
    spawned("p/0"),
    spawned("p/1"),
    state("p/0", "parked", "approval"),
    state("p/1", "parked", "retry"),
    state("p/1", "parked", "approval"),
    state("p/0", "calling"),
    event({ type: "agent:ended", agent: "p/0" }),
    event({ type: "agent:ended", agent: "p/1" }),
  ].map((happened) => waits.observe(happened));
  expect(seen).toEqual([false, false, false, false, true, false, true, false]);
});

test("an agent whose call runs agents waits where they do", () => {
  const waits = new EverybodyWaits();
  const opened = event({
    type: "pool:opened",
    pool: "q",
    within: "p",
    call: "p/0:1#0",
    model: "",
    tools: [],
  });
  for (const happened of [spawned("p/0"), state("p/0", "calling"), opened, spawned("q/0", "q")])
    expect(waits.observe(happened)).toBe(false);
  expect(waits.observe(state("q/0", "parked", "approval"))).toBe(true);
});

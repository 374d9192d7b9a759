import fc from "fast-check";
import type { Intervention } from "./drive.ts";
import type { World } from "./world.ts";

const rate = (most: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 10 }).map((tenth) => (tenth * most) / 10);

/** Small worlds with few things to ask for: everything gets in everything's way. */
export const worlds: fc.Arbitrary<World> = fc.record({
  seed: fc.integer({ min: 1, max: 1e9 }),
  lat: fc.integer({ min: 1, max: 1e9 }),
  agents: fc.integer({ min: 1, max: 5 }),
  turns: fc.integer({ min: 1, max: 4 }),
  keys: fc.integer({ min: 1, max: 5 }),
  fail: rate(0.4),
  retry: rate(0.5),
  hang: rate(0.1),
  delegate: rate(0.4),
  approve: rate(0.4),
  never: rate(0.2),
  restart: fc.oneof(fc.constant(0), rate(0.3)),
  rewrite: rate(0.3),
  client: rate(0.3),
  close: fc.oneof(fc.constant(0), rate(1)),
  idempotent: fc.oneof(fc.constant(0), rate(1)),
  guard: fc.constantFrom("keyed", "predicate", "async predicate", "promised predicate"),
  scope: fc.constantFrom("lineage", "cohort"),
  concurrentTools: fc.integer({ min: 1, max: 3 }),
  concurrentGenerations: fc.integer({ min: 1, max: 3 }),
  maxToolCalls: fc.integer({ min: 2, max: 12 }),
  memory: fc.oneof(fc.constant(0), fc.integer({ min: 600, max: 6_000 })),
});

const step = fc.integer({ min: 0, max: 80 });

export const interventions: fc.Arbitrary<Intervention> = fc.oneof(
  fc.constant<Intervention>({ type: "none" }),
  fc.record({ type: fc.constantFrom("halt" as const, "wind" as const, "pause" as const), step }),
  fc.record({ type: fc.constant("cancel" as const), step, agent: fc.nat(4) }),
);

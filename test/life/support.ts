import {
  AnswerError,
  type Approval,
  type GuardInput,
  type PoolEvent,
  parallel,
  reportTool,
  type ToolGuard,
} from "@agentpool/core";
import type { ScriptedModel } from "@agentpool/models";
import type { Operation } from "effection";
import {
  ask,
  open,
  play,
  playing,
  quiet,
  type Rig,
  type RigOptions,
  report,
  type Shown,
  shown,
} from "../scenarios/support.ts";

/** What a test says of a pool; the rest is one agent that ends with a report. */
export type LifeOptions = Partial<RigOptions> & Pick<RigOptions, "model">;

const completed = (options: LifeOptions): RigOptions => ({
  terminal: reportTool,
  orchestrate: parallel(["look"]),
  ...options,
});

export const openLife = (options: LifeOptions): Operation<Rig> => open(completed(options));
export const playLife = (options: LifeOptions): ReturnType<typeof play> => play(completed(options));

/** Calls one tool once, then reports. */
export const once = (tool: string, args: Parameters<typeof ask>[1] = { q: "x" }): ScriptedModel =>
  playing(ask(tool, args), report());

/** What a model was shown in an agent's turn, from 1: the results so far. */
export const shownIn = (model: ScriptedModel, turn: number, key = "agent/0"): Shown[] =>
  shown(model.requestsOf(key)[turn - 1]?.messages ?? []);

/** Everything a model was shown, in one text. */
export const seenBy = (model: ScriptedModel): string =>
  JSON.stringify(model.requests.map(({ messages }) => messages));

/** The one approval that is waited for. */
export function waiting(rig: Rig): Approval {
  const list = rig.handle.approvals.list();
  if (list.length !== 1) throw new Error(`${list.length} approvals wait`);
  return list[0]!;
}

/** The approval that waits for a call of a tool with `q`. */
export function waitingFor(rig: Rig, q: string): Approval {
  const found = rig.handle.approvals.list().filter(({ args }) => args.q === q);
  if (found.length !== 1) throw new Error(`${found.length} approvals wait for ${q}`);
  return found[0]!;
}

/** Lets a decision come into effect. */
export function* approve(rig: Rig, { id }: Approval): Operation<void> {
  rig.handle.approvals.approve(id);
  yield* quiet;
}
export function* deny(rig: Rig, { id }: Approval, reason?: string): Operation<void> {
  rig.handle.approvals.deny(id, reason);
  yield* quiet;
}

/** A guard that answers by what was asked for: `q`. */
export const byQuery = (answers: { readonly [q: string]: unknown }, name = "by_query"): ToolGuard => ({
  name,
  decide: ({ args }: GuardInput) =>
    (Object.hasOwn(answers, String(args.q)) ? answers[String(args.q)] : undefined) as never,
});

/** What happened to calls, in order: `call:refused agent/0:1#0`. */
export const callsIn = (events: readonly PoolEvent[]): string[] =>
  events.flatMap((event) =>
    event.type.startsWith("call:") && "call" in event ? [`${event.type.slice(5)} ${event.call}`] : [],
  );

/** Types of what happened to one call, in order. */
export const lifeOf = (events: readonly PoolEvent[], call: string): string[] =>
  events.flatMap((event) => ("call" in event && event.call === call ? [event.type] : []));

export const gated = { requireApproval: ["send"] } as const;

/** What an act of answering throws. */
export function answering(act: () => void): AnswerError {
  try {
    act();
  } catch (error) {
    if (error instanceof AnswerError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

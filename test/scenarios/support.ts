import {
  type AgentPoolOptions,
  type Args,
  defineTool,
  type ManualClock,
  type Message,
  manualClock,
  type PoolEvent,
  type PoolHandle,
  type PoolResult,
  reportTool,
  type Tool,
  type ToolContext,
  useAgentPool,
} from "@agentpool/core";
import { type ScriptedModel, type ScriptedTurn, type Scripts, scripted } from "@agentpool/models";
import { type Operation, spawn, until, withResolvers } from "effection";
import { z } from "zod";

/** A pool on a clock that the test drives. */
export interface Rig {
  readonly clock: ManualClock;
  readonly events: PoolEvent[];
  readonly handle: PoolHandle;
  /** How the pool ended, once it has. */
  readonly outcome: { result?: PoolResult; error?: unknown };
}

/** Until everything that can happen without time passing has happened. */
export const quiet: Operation<void> = {
  [Symbol.iterator]: () => until(new Promise<void>((resolve) => setImmediate(resolve)))[Symbol.iterator](),
};

export type RigOptions = Omit<AgentPoolOptions, "clock"> & { readonly clock?: ManualClock };

/** Opens a pool in the current scope and lets it come as far as it can. */
export function* open({ onEvent, clock = manualClock(), ...options }: RigOptions): Operation<Rig> {
  const events: PoolEvent[] = [];
  const handle = yield* useAgentPool({
    ...options,
    clock,
    onEvent: (event) => {
      events.push(event);
      return onEvent?.(event); // what it promises is the pool's to catch
    },
  });
  const outcome: Rig["outcome"] = {};
  yield* spawn(function* () {
    try {
      outcome.result = yield* handle.result;
    } catch (error) {
      outcome.error = error;
    }
  });
  yield* quiet;
  return { clock, events, handle, outcome };
}

const isOver = ({ outcome }: Rig): boolean => outcome.result !== undefined || "error" in outcome;

/** Drives the clock until the pool is over; throws where it never will be, or where something was left behind. */
export function* finish(rig: Rig): Operation<PoolResult> {
  yield* quiet;
  for (let step = 0; !isOver(rig); step++) {
    if (step > 10_000) throw new Error("the pool goes on for ever");
    if (!rig.clock.step())
      throw new Error(
        `stuck: nothing is due and the pool is not over: ${JSON.stringify(rig.handle.inspect())}`,
      );
    yield* quiet;
  }
  if ("error" in rig.outcome) throw rig.outcome.error;
  const left = leftovers(rig);
  if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
  return rig.outcome.result!;
}

/** What a pool that is over has left behind, in words; nothing is right. */
export function leftovers({ clock, handle }: Rig): string[] {
  const { agents, inLine, parked, permits } = handle.inspect();
  const counts = {
    timers: clock.pending,
    tickets: inLine,
    parked,
    ...permits,
    agents: Object.keys(agents).length,
  };
  return Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
}

/** Runs a pool from its beginning to its end. */
export function* play(options: RigOptions): Operation<Rig & { readonly result: PoolResult }> {
  const rig = yield* open(options);
  const result = yield* finish(rig);
  return { ...rig, result };
}

/** A model in which every agent plays the same turns. */
export const playing = (
  ...turns: readonly (ScriptedTurn | Parameters<typeof scripted>[0])[]
): ScriptedModel => scripted(() => turns as ScriptedTurn[]);

/** A model with a script for each agent, by the last part of its key or by its task. */
export const casting = (parts: { readonly [keyOrTask: string]: readonly ScriptedTurn[] }): ScriptedModel =>
  scripted((({ key, task }) => {
    const part = parts[key] ?? parts[key.split("/").at(-1)!] ?? parts[task];
    if (!part) throw new Error(`no script for agent "${key}" (${task})`);
    return part;
  }) as Scripts);

export const ask = (tool: string, args: Args | string = {}): ScriptedTurn => ({ calls: [{ tool, args }] });
export const asks = (...calls: readonly (readonly [tool: string, args?: Args | string])[]): ScriptedTurn => ({
  calls: calls.map(([tool, args = {}]) => ({ tool, args })),
});
export const report = (result = "done"): ScriptedTurn => ask("report", { result });

/** A result as a model reads it. */
export interface Shown {
  readonly id: string;
  readonly tool: string;
  readonly type: string;
  readonly value: unknown;
}

/** The results in a conversation, in order. */
export const shown = (messages: readonly Message[]): Shown[] =>
  messages.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
          part.type === "tool-result"
            ? [
                {
                  id: part.toolCallId,
                  tool: part.toolName,
                  type: part.output.type,
                  value: "value" in part.output ? part.output.value : undefined,
                },
              ]
            : [],
        )
      : [],
  );

/** What an agent was last shown by its model: the results in its conversation. */
export const lastShown = (model: ScriptedModel, key: string): Shown[] =>
  shown(model.requestsOf(key).at(-1)?.messages ?? []);

/** Every text of a conversation in one. */
export const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);

export const ofType = <T extends PoolEvent["type"]>(
  events: readonly PoolEvent[],
  type: T,
): Extract<PoolEvent, { type: T }>[] =>
  events.filter((event): event is Extract<PoolEvent, { type: T }> => event.type === type);

const q = z.object({ q: z.string().default("") });

/** A tool that answers at once with what it was asked, and keeps what it was asked. */
export function instant(name: string, more: Partial<Tool> = {}): Tool & { readonly asked: string[] } {
  const asked: string[] = [];
  const tool: Tool = {
    ...defineTool({
      name,
      description: `Answers ${name}.`,
      parameters: q,
      execute: ({ q }) => {
        asked.push(q);
        return { answer: q };
      },
    }),
    ...more,
  };
  return Object.assign(tool, { asked });
}

/** One execution that waits for the test. */
export interface Held {
  readonly q: string;
  readonly agent: string;
  readonly id: string;
  readonly attempt: number;
  readonly ctx: ToolContext;
  readonly signal: AbortSignal;
  state: "running" | "returned" | "failed" | "halted";
  succeed(value?: unknown): void;
  fail(error: unknown): void;
}

export interface HeldTool extends Tool {
  /** Every execution so far. */
  readonly calls: readonly Held[];
  readonly running: readonly Held[];
  /** The most that ran at once. */
  readonly peak: number;
  /** The one execution that runs now for `q`. */
  held(q: string): Held;
}

/** A tool whose executions end when the test says so. */
export function held(name: string, more: Partial<Tool> = {}): HeldTool {
  const calls: Held[] = [];
  let peak = 0;
  const running = (): Held[] => calls.filter(({ state }) => state === "running");
  const tool: Tool = {
    ...defineTool({
      name,
      description: `Waits, then answers ${name}.`,
      parameters: q,
      *execute({ q }, ctx) {
        const { operation, resolve, reject } = withResolvers<unknown>();
        const call: Held = {
          q,
          agent: ctx.agent.key,
          id: ctx.id,
          attempt: ctx.attempt,
          ctx,
          signal: ctx.signal,
          state: "running",
          succeed: (value = { answer: q }) => resolve(value),
          fail: (error) => reject(error as Error),
        };
        calls.push(call);
        peak = Math.max(peak, running().length);
        try {
          const value = yield* operation;
          call.state = "returned";
          return value;
        } catch (error) {
          call.state = "failed";
          throw error;
        } finally {
          if (call.state === "running") call.state = "halted";
        }
      },
    }),
    ...more,
  };
  return Object.defineProperties(tool, {
    calls: { get: () => calls },
    running: { get: running },
    peak: { get: () => peak },
    held: {
      value: (q: string): Held => {
        const found = running().filter((call) => call.q === q);
        if (found.length !== 1) throw new Error(`${found.length} calls of ${name} run for "${q}"`);
        return found[0]!;
      },
    },
  }) as HeldTool;
}

/** Runs a body and returns the promises' rejections that nobody handled. */
export async function strayRejections(body: () => PromiseLike<unknown>): Promise<unknown[]> {
  const strays: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => strays.push(reason));
  try {
    await body();
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
  }
  return strays;
}

/** What an operation throws; throws where it does not. */
export function* thrownBy(operation: Operation<unknown>): Operation<unknown> {
  try {
    yield* operation;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** Notes something and answers: for hooks that leave a trace. */
export function noted<N, const T>(log: N[], note: N, answer: T): T {
  log.push(note);
  return answer;
}

/** Ids of calls in a conversation that were not answered, in order, before anything else was said. */
export function unanswered(messages: readonly Message[]): string[] {
  const missing: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      for (const part of message.content)
        if (part.type === "tool-result") {
          if (open[0] === part.toolCallId) open.shift();
          else missing.push(`${part.toolCallId} out of order`);
        }
      continue;
    }
    missing.push(...open);
    open =
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
        : [];
  }
  return [...missing, ...open];
}

export const basics = () => ({ tools: [instant("search")], terminal: reportTool });

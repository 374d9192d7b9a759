import {
  type AgentPoolOptions,
  dedup,
  delegate,
  parallel,
  reportTool,
  sleepOn,
  type Tool,
  ToolRetryError,
  useClock,
} from "@agentpool/core";
import { type ScriptedModel, scripted } from "@agentpool/models";
import { asks, instant, report } from "./support.ts";

/** A small world with a bit of everything: equal calls, retries, delegates, thinking guards, and few permits. */
export function world(): {
  readonly options: Omit<AgentPoolOptions, "clock">;
  readonly model: ScriptedModel;
  readonly bodies: { now: number; most: number };
} {
  const bodies = { now: 0, most: 0 };
  const once = { beforeDispatch: [dedup("once", ({ q }) => q)] };
  const timed = (name: string, ms: number, more: Partial<Tool> = {}): Tool =>
    instant(name, {
      hooks: once,
      *execute({ q }, { attempt }) {
        bodies.now++;
        bodies.most = Math.max(bodies.most, bodies.now);
        try {
          yield* sleepOn(yield* useClock(), ms);
          if (String(q).startsWith("busy") && attempt === 0) throw new ToolRetryError("429", 30);
          if (String(q).startsWith("bad")) throw new Error("down");
          return { q };
        } finally {
          bodies.now--;
        }
      },
      ...more,
    });
  const model = scripted(({ task, key }) => {
    if (task === "boss")
      return [
        asks(["read", { q: "same" }], ["think", { q: "busy" }], ["read", { q: key }]),
        asks(["delegate", { tasks: ["help"] }], ["read", { q: "bad" }], ["read", { q: "same" }]),
        { error: { limited: 20 } },
        report(`by ${key}`),
      ];
    return [asks(["read", { q: "same" }], ["read", { q: "busy too" }]), report("helped")];
  });
  return {
    bodies,
    model,
    options: {
      model,
      tools: [
        timed("read", 10),
        timed("think", 5, {
          hooks: {
            beforeDispatch: [
              {
                name: "thinks",
                *decide({ attended }) {
                  attended();
                  yield* sleepOn(yield* useClock(), 7);
                  return undefined;
                },
              },
            ],
          },
        }),
        delegate(),
      ],
      terminal: reportTool,
      guards: { once: { scope: "cohort" } },
      budget: { concurrentTools: 2, concurrentGenerations: 1 },
      orchestrate: parallel(["boss", "boss"]),
    },
  };
}

export const FINAL = new Set([
  "call:settled",
  "call:refused",
  "call:cancelled",
  "call:withdrawn",
  "call:substituted",
]);

import {
  type AgentPoolOptions,
  cancel,
  dedup,
  defineTool,
  delegate,
  type GuardFunction,
  parallel,
  reportTool,
  substitute,
  ToolRetryError,
} from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { z } from "zod";

/**
 * The job whose runs are in rows.sql, as schema 1 recorded them: `ended`, which came to its end, and `cut`, whose process
 * went away twice, the second time while two calls waited for a person. Neither this nor those files may change.
 */
export function job(): AgentPoolOptions {
  const read = defineTool({
    name: "read",
    description: "Reads a page.",
    parameters: z.object({ page: z.string() }),
    idempotent: true,
    hooks: { beforeDispatch: [dedup("page_dedup", ({ page }) => page)] },
    execute: ({ page }, { attempt }) => {
      if (page === "broken") throw new Error("it is broken");
      if (page === "busy" && attempt === 0) throw new ToolRetryError("busy", 50);
      return { page };
    },
  });
  const send = defineTool({
    name: "send",
    description: "Sends.",
    parameters: z.object({ to: z.string() }),
    execute: ({ to }) => `sent to ${to}`,
  });
  const model = scripted(({ key }) => SCRIPTS[key] ?? HELPER, { id: "scripted/v1" });
  return {
    key: "work",
    model: { ...model, price: { input: 3, output: 15 } },
    tools: [read, send, delegate()],
    terminal: reportTool,
    hooks: [{ beforeDispatch: [{ name: "judge", tools: ["read"], decide: judge }] }],
    requireApproval: ["send"],
    guards: { page_dedup: { scope: "cohort" } },
    orchestrate: parallel(["zero", "one"]),
  };
}

const judge: GuardFunction = ({ args }) => {
  if (args.page === "fake") return substitute({ made: "up" });
  return args.page === "off" ? cancel("Off.") : undefined;
};

const calls = (...list: readonly (readonly [string, Record<string, unknown>])[]): ScriptedTurn => ({
  calls: list.map(([tool, args]) => ({ tool, args })),
});
const pages = (...names: readonly string[]) => calls(...names.map((page) => ["read", { page }] as const));
const SCRIPTS: { readonly [key: string]: readonly ScriptedTurn[] } = {
  "work/0": [
    pages("a", "broken", "large"),
    pages("a", "fake", "off"),
    calls(["send", { to: "ann" }], ["send", { to: "bob" }]),
    calls(["report", { result: "zero" }]),
  ],
  "work/1": [pages("busy", "large"), calls(["delegate", { tasks: ["help"] }]), { text: "one, in words" }],
};
const HELPER = [pages("a"), calls(["report", { result: "helped" }])];

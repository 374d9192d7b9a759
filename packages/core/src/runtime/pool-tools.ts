import { hooksOf } from "../decisions/bind.ts";
import { checkHooks } from "../decisions/check-hooks.ts";
import { checkList, checkTools } from "../decisions/check-tools.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { ToolLifecycleHooks } from "../values/hooks.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { identityOf, type Tool } from "../values/tool.ts";
import type { Nest } from "./call-execution.ts";
import type { Pool } from "./pool-state.ts";

/** The tools of a pool, and the one among them that ends an agent. */
export interface PoolTools {
  readonly all: readonly Tool[];
  readonly terminal: Tool | undefined;
}

/** Its own, or those its caller may use. Throws {@link ConfigurationError} where they are none. */
export function toolsOf(options: AgentPoolOptions, nest: Nest | undefined): PoolTools {
  checkList("tools", options.tools);
  const outer = nest?.pool;
  const terminal = options.terminal ?? (options.tools ? undefined : outer?.terminal?.tool);
  if (terminal?.target === "client")
    throw new ConfigurationError(
      `terminal: "${terminal.name}" is a client tool; what ends an agent is taken here. Give its target as server.`,
    );
  const tools = options.tools ?? inherited(nest);
  const all = terminal ? [...tools, terminal] : [...tools];
  checkTools(all);
  for (const tool of all) checkHooks(hooksOf(tool), `tools.${tool.name}.hooks`);
  return { all, terminal };
}

function inherited(nest: Nest | undefined): readonly Tool[] {
  const usable = nest?.execution?.call.agent.options.tools ?? nest?.pool.tools;
  const terminal = nest?.pool.terminal?.tool;
  return [...(usable?.values() ?? [])].map(({ tool }) => tool).filter((tool) => tool !== terminal);
}

/** What a pool around declares on a tool holds for it here too, whoever brings it. */
export function aroundOf(tool: Tool, outer: Pool | undefined): readonly ToolLifecycleHooks[] {
  if (!outer) return [];
  const own = hooksOf(tool);
  const identity = identityOf(tool);
  const around = [...outer.tools.values()].filter((bound) => bound.identity === identity);
  return around
    .flatMap((bound) => bound.hooks)
    .filter((hook) => !own.includes(hook) && !outer.hooks.includes(hook));
}

import type { Operation } from "effection";
import { isWinding } from "../decisions/life.ts";
import { outputSchema } from "../decisions/output.ts";
import { words } from "../decisions/words.ts";
import type { GenerateRequest, Prompt, Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import type { Ending } from "./ending.ts";
import { forceReport } from "./force-report.ts";
import { setPhase } from "./park.ts";
import { proposeReturn } from "./propose-return.ts";
import { recordBlocked } from "./settle-call.ts";
import { settleStep } from "./settle-step.ts";
import { takeTurn } from "./take-turn.ts";

/** Why an agent is stopped before it ends by itself. */
export type Stop = keyof typeof words.stopped;

/** An agent's conversation: turn by turn until it returns, or a limit stops it and it is asked for what it has. */
export function* converse(agent: AgentState): Operation<Ending> {
  yield* agent.session.append([taskMessage(agent)]);
  for (;;) {
    const stop = stopped(agent);
    if (stop) return yield* forceReport(agent, stop);
    const turn = yield* takeTurn(agent, requestOf(agent), false);
    if (!turn) continue;
    agent.turns++;
    agent.pool.run.totals.turns++;
    const ending = yield* settleTurn(agent, turn);
    agent.step = undefined;
    setPhase(agent, "ready");
    if (ending) return ending;
  }
}

/** What stops an agent here: asked between turns. */
function stopped(agent: AgentState): Stop | undefined {
  if (isWinding(agent.life)) return "cancelled";
  if (agent.limit) return agent.limit;
  if (agent.turns >= agent.options.maxTurns) return "max_turns";
  const window = agent.model.contextWindow;
  if (window !== undefined && agent.session.tokens >= window * agent.pool.budget.context.hard) {
    agent.pool.run.emit({ type: "budget:exhausted", agent: agent.key, budget: "context", limit: window });
    return "context";
  }
  return undefined;
}

function* settleTurn(agent: AgentState, turn: Turn): Operation<Ending | undefined> {
  if (turn.calls.length > 0) return yield* settleStep(agent, turn);
  if (turn.finish === "refusal")
    return {
      exit: "model_error",
      result: undefined,
      reason: `the model refused: ${turn.text || "without a word"}`,
    };
  const text = turn.text?.trim() ?? "";
  if (turn.finish === "length") return yield* say(agent, words.cutOff);
  if (text === "") return yield* say(agent, words.empty);
  const returned = yield* proposeReturn(agent, turn.text!);
  if (returned.type === "ended") return returned.ending;
  recordBlocked(agent, { id: `${agent.key}:${agent.turns}`, tool: "" }, returned.outcome);
  return yield* say(agent, returned.outcome.message);
}

function* say(agent: AgentState, text: string): Operation<undefined> {
  yield* agent.session.append([{ role: "user", content: [{ type: "text", text }] }]);
  return undefined;
}

/** Without tools to call, the form of the answer can be asked of the model itself. */
function requestOf(agent: AgentState): GenerateRequest {
  const tools = agent.toolNames;
  const { output } = agent.options;
  return tools.length === 0 && output ? { tools, output: outputSchema(output) } : { tools };
}

function taskMessage({ options: { system, task, output } }: AgentState): Prompt[number] {
  const parts = [system, task, output && words.outputForm(JSON.stringify(outputSchema(output)))];
  return { role: "user", content: [{ type: "text", text: parts.filter(Boolean).join("\n\n") }] };
}

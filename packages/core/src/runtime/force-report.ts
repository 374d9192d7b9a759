import type { Operation } from "effection";
import type { BoundTool } from "../decisions/bind.ts";
import { CallArgs } from "../decisions/call-args.ts";
import { outputSchema } from "../decisions/output.ts";
import { parseArgs } from "../decisions/parse.ts";
import { reasonOf } from "../decisions/reason.ts";
import { words } from "../decisions/words.ts";
import type { GenerateRequest, ProposedCall, Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import type { Stop } from "./converse.ts";
import type { Ending } from "./ending.ts";
import { isAuthorised, needsApproval } from "./gate.ts";
import { inForm, shapeReport } from "./propose-return.ts";
import { canAfford } from "./spend-tokens.ts";
import { takeTurn } from "./take-turn.ts";

/**
 * An agent was stopped: one generation more, in which it can only report, so that what it found survives. Hooks are
 * not asked. An agent that has not had a turn has nothing to report.
 */
export function* forceReport(agent: AgentState, stop: Stop): Operation<Ending> {
  if (agent.pool.recovery === "none" || agent.turns === 0 || canAfford(agent) === "nothing")
    return { exit: stop, result: undefined };
  const { terminal: own } = agent.pool;
  // nobody is asked any more: a terminal tool that needs somebody is left alone
  const terminal = own && isAuthorised(agent.pool, own) && !needsApproval(agent.pool, own) ? own : undefined;
  const text = words.report(words.stopped[stop], terminal?.name);
  agent.step = { mark: agent.session.mark(), reads: agent.lineage.length };
  yield* agent.session.append([{ role: "user", content: [{ type: "text", text }] }]);
  try {
    const turn = yield* takeTurn(agent, forcedRequest(agent, terminal), true);
    return { exit: stop, ...(turn ? yield* readReport(agent, turn, terminal) : { result: undefined }) };
  } catch (error) {
    return { exit: stop, result: undefined, reason: `its report failed: ${reasonOf(error)}` };
  }
}

function forcedRequest(
  { options: { output } }: AgentState,
  terminal: BoundTool | undefined,
): GenerateRequest {
  if (terminal) return { tools: [terminal.name], toolChoice: { tool: terminal.name } };
  return { tools: [], toolChoice: "none", output: output && outputSchema(output) };
}

type Report = Omit<Ending, "exit">;

/** What the last turn says: its terminal call if it can be read, else its text. */
function* readReport(agent: AgentState, turn: Turn, terminal: BoundTool | undefined): Operation<Report> {
  const proposed = terminal && turn.calls.find((call) => call.tool === terminal.name);
  const report = proposed && (yield* readCall(agent, proposed, terminal));
  const said = report ?? { result: turn.text?.trim() || undefined };
  if (said.result === undefined) return { result: undefined, reason: "its report was empty" };
  const formed = inForm(agent, said.result);
  if ("invalid" in formed) return { result: undefined, reason: formed.invalid };
  return { ...said, result: formed.value };
}

function* readCall(
  agent: AgentState,
  proposed: ProposedCall,
  bound: BoundTool,
): Operation<Report | undefined> {
  const parsed = parseArgs(proposed.tool, proposed.input, bound.schema);
  if (parsed.type === "invalid") return undefined;
  const args = new CallArgs(parsed.args);
  const { tool, identity } = { tool: proposed.tool, identity: bound.identity };
  const id = `${agent.key}:${agent.turns + 1}#0`;
  const call = {
    agent,
    id,
    toolCallId: proposed.id,
    tool,
    identity,
    args,
    turn: agent.turns + 1,
    bound,
    ticket: undefined,
    approved: false,
    dispatched: false,
  };
  const shaped = yield* shapeReport(call);
  return "value" in shaped ? { result: shaped.value, report: args.args } : undefined;
}

import type { Operation } from "effection";
import type { BoundTool } from "../decisions/bind.ts";
import { outputSchema } from "../decisions/output.ts";
import { parseArgs } from "../decisions/parse.ts";
import { reasonOf } from "../decisions/reason.ts";
import { isConsequentialIn } from "../decisions/reviews.ts";
import { words } from "../decisions/words.ts";
import { Later } from "../effects/later.ts";
import type { Outcome } from "../values/call.ts";
import type { GenerateRequest, Message, ProposedCall, Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import type { Stop } from "./converse.ts";
import type { Ending } from "./ending.ts";
import { executeReport } from "./execute-report.ts";
import { type Gated, isAuthorised, needsApproval } from "./gate.ts";
import { propose } from "./gate-step.ts";
import { inForm } from "./in-form.ts";
import type { Pool } from "./pool-state.ts";
import { recordBlocked, settleCall } from "./settle-call.ts";
import { canAfford } from "./spend-tokens.ts";
import { takeTurn } from "./take-turn.ts";

/**
 * An agent was stopped: one generation more, in which it can only report, so that what it found survives. Its terminal
 * call passes the gates; whether it may return nobody is asked. An agent that has not had a turn has nothing to report.
 */
export function* forceReport(agent: AgentState, stop: Stop): Operation<Ending> {
  const { past } = agent;
  const isDue = agent.pool.recovery !== "none" && agent.turns > 0;
  if (!past?.report && !(isDue && canAfford(agent) !== "nothing")) return { exit: stop, result: undefined };
  const { terminal: own } = agent.pool;
  // nobody is asked any more: a terminal tool that needs somebody is left alone, and so is one that may have run
  const terminal = own && !agent.isUnsure && mayRunUnasked(agent.pool, own) ? own : undefined;
  const text = words.report(words.stopped[stop], terminal?.name);
  agent.openStep();
  // what people said last is heard here
  const heard = past?.stop?.heard ?? agent.inbox.splice(0);
  if (!past?.stop && agent.pool.run.recorder)
    agent.pool.run.note({ type: "record:stopped", agent: agent.key, stop, heard });
  const said = [...heard, text];
  yield* agent.append(said.map((text): Message => ({ role: "user", content: [{ type: "text", text }] })));
  try {
    const turn = yield* takeTurn(agent, forcedRequest(agent, terminal), true);
    return { exit: stop, ...(turn ? yield* readReport(agent, turn, terminal) : { result: undefined }) };
  } catch (error) {
    return { exit: stop, result: undefined, reason: `its report failed: ${reasonOf(error)}` };
  }
}

const mayRunUnasked = (pool: Pool, terminal: BoundTool): boolean =>
  isAuthorised(pool, terminal) &&
  !needsApproval(pool, terminal) &&
  (pool.effort === "min" || !isConsequentialIn(pool.reviews, terminal));

function forcedRequest(
  { options: { output } }: AgentState,
  terminal: BoundTool | undefined,
): GenerateRequest {
  if (terminal) return { tools: [terminal.name], toolChoice: { tool: terminal.name } };
  return { tools: [], toolChoice: "none", output: output && outputSchema(output) };
}

type Report = Omit<Ending, "exit">;

/** What the last turn says: its terminal call if that may run, else its text, else what it would have reported. */
function* readReport(agent: AgentState, turn: Turn, terminal: BoundTool | undefined): Operation<Report> {
  const proposed = terminal && turn.calls.find((call) => call.tool === terminal.name);
  const report: Report = proposed ? yield* readCall(agent, proposed, terminal) : { result: undefined };
  const { reason, report: args } = report;
  const result = reason === undefined && proposed ? report.result : turn.text?.trim() || report.result;
  if (result === undefined) return { result, report: args, reason: reason ?? "its report was empty" };
  const formed = inForm(agent, result);
  if ("invalid" in formed) return { result: undefined, report: args, reason: reason ?? formed.invalid };
  return { result: formed.value, report: args, reason };
}

/**
 * The terminal call of a forced report passes the gates like any other. One that may not run, or fails, does not:
 * what it would have reported is not lost, and the reason says why it did not.
 */
function* readCall(agent: AgentState, proposed: ProposedCall, terminal: BoundTool): Operation<Report> {
  const since = agent.pool.run.clock.now();
  const gates = propose(agent, proposed, 0, agent.turns + 1);
  const gated = gates instanceof Later ? yield* gates.operation : gates;
  const outcome = yield* outcomeOf(gated, terminal);
  if (gated.type === "passed") settleCall(gated.call, outcome, since);
  else recordBlocked(agent, gated, outcome);
  const written = parseArgs(proposed.tool, proposed.input, terminal.schema);
  const report =
    gated.type === "passed" ? gated.call.args.args : written.type === "parsed" ? written.args : undefined;
  if (outcome.type === "ok" || outcome.type === "substituted") return { result: outcome.value, report };
  return { result: report, report, reason: `its report was not taken: ${outcome.message}` };
}

function* outcomeOf(gated: Gated, terminal: BoundTool): Operation<Outcome> {
  if (gated.type === "blocked") return gated.outcome;
  const { call, approval } = gated;
  if (call.bound !== terminal)
    return { type: "refused", guard: "invalid", message: words.onlyReports(call.bound.name) };
  if (approval !== undefined)
    return { type: "refused", guard: "approval", message: words.nobodyToAsk(terminal.name) };
  return yield* executeReport(call);
}

import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import { resultMessage } from "../decisions/result.ts";
import type { Outcome } from "../values/call.ts";
import type { AdmittedAnswer } from "../values/hooks.ts";
import type { AgentState } from "./agent-state.ts";
import { askHooks } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";
import { fitResult, shortOfRoom } from "./fit-result.ts";

/** A call with what became of it, on its way into the context. `call` is absent where it did not pass the gates. */
export interface Settled {
  readonly id: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly call: Call | undefined;
  readonly outcome: Outcome;
}

/** The model reads a result. From here on a success is attended. Returns what a hook wants to say next. */
export function* admitCall(agent: AgentState, settled: Settled): Operation<string | undefined> {
  const { call } = settled;
  const { run } = agent.pool;
  const short = shortOfRoom(agent, settled.outcome);
  const outcome = short ? yield* fitResult(agent, settled, short) : settled.outcome;
  yield* agent.session.append([resultMessage(settled, outcome)]);
  const attended = call !== undefined && outcome.type === "ok";
  if (attended) {
    agent.lineage.attend(call.identity, call.args);
    run.cohort.attend(call.identity, call.args);
    agent.attendedCount++;
    run.totals.attended++;
  }
  if (call?.ticket) run.line.leave(call.ticket);
  run.emit({
    type: "call:admitted",
    agent: agent.key,
    call: settled.id,
    tool: settled.tool,
    outcome: outcome.type,
    attended,
  });
  return attended && call.bound.followed ? yield* followUp(agent, call, outcome.value) : undefined;
}

/** Anything to say next? */
function* followUp(agent: AgentState, call: Call, result: unknown): Operation<string | undefined> {
  const answer = yield* askHooks(call.bound.hooks, {
    agent,
    call: call.id,
    moment: "afterAdmit",
    input: () => ({ agent: agent.view, call: infoOf(call), run: agent.pool.run.id, result: copy(result) }),
    read: (given) =>
      readAnswer<AdmittedAnswer>(given, { followUp: ({ message }) => isMessage(message), none: () => true }),
  });
  return answer?.type === "followUp" ? answer.message : undefined;
}

import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import { copy } from "../decisions/copy.ts";
import { outcomeTokens, resultMessage } from "../decisions/result.ts";
import { Done } from "../effects/done.ts";
import type { Outcome } from "../values/call.ts";
import type { AdmittedAnswer } from "../values/hooks.ts";
import type { RecordedCall } from "../values/recorded.ts";
import type { AgentState } from "./agent-state.ts";
import { askHooks } from "./ask-hooks.ts";
import { type Call, infoOf } from "./call-state.ts";
import { fitResult, type Short, shortOfRoom } from "./fit-result.ts";
import { type Room, roomOf } from "./room.ts";

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
  const past = agent.past?.calls.get(settled.id);
  const outcome = yield* fitted(agent, settled, past);
  yield* agent.append([resultMessage(settled, outcome)]);
  roomOf(run, agent.model)?.admitted(agent);
  const attended = call !== undefined && outcome.type === "ok";
  if (attended) {
    agent.lineage.attend(call.identity, call.args);
    agent.attendedCount++;
  }
  if (attended && !past?.admitted) {
    run.cohort.attend(call.identity, call.args);
    run.totals.attended++;
  }
  if (call?.ticket) run.line.leave(call.ticket);
  if (!past?.admitted)
    run.emit({
      type: "call:admitted",
      agent: agent.key,
      call: settled.id,
      tool: settled.tool,
      outcome: outcome.type,
      attended,
    });
  if (past?.followed) return past.followed.message;
  if (!attended || !call.bound.followed) return undefined;
  const message = yield* followUp(agent, call, outcome.value);
  if (run.recorder) run.note({ type: "record:followed", agent: agent.key, call: call.id, message });
  return message;
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

/** What of a result enters the context. */
function fitted(agent: AgentState, settled: Settled, past: RecordedCall | undefined): Operation<Outcome> {
  if (past?.fitted) {
    if (past.fitted.dropped) agent.limit = "context";
    return new Done(past.fitted.outcome);
  }
  const short = past?.admitted ? undefined : shortOfRoom(agent, settled.outcome);
  const room = past?.admitted ? undefined : roomOf(agent.pool.run, agent.model);
  if (room) return fitTogether(agent, settled, short, room);
  return short ? fit(agent, settled, short) : new Done(settled.outcome);
}

/** Where sessions share a memory a result waits for room there, and has to do with what there is at a stall. */
function* fitTogether(
  agent: AgentState,
  settled: Settled,
  short: Short | undefined,
  room: Room,
): Operation<Outcome> {
  const tokens = outcomeTokens(settled.outcome);
  const wanted = Math.min(tokens, short?.room ?? tokens);
  const free = yield* room.make(agent, wanted);
  const lack = free < wanted ? { window: agent.model.capacity!.tokens, tokens, room: free } : short;
  return lack ? yield* fit(agent, settled, lack) : settled.outcome;
}

function* fit(agent: AgentState, settled: Settled, short: Short): Operation<Outcome> {
  const { outcome, dropped } = yield* fitResult(agent, settled, short);
  const { run } = agent.pool;
  if (run.recorder) run.note({ type: "record:fitted", agent: agent.key, call: settled.id, outcome, dropped });
  return outcome;
}

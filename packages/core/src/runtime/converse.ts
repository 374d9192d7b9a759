import type { Operation } from "effection";
import { windingOf } from "../decisions/life.ts";
import { outputSchema } from "../decisions/output.ts";
import { words } from "../decisions/words.ts";
import type { GenerateRequest, Message, Turn } from "../values/model.ts";
import type { AgentState } from "./agent-state.ts";
import type { Ending } from "./ending.ts";
import { forceReport } from "./force-report.ts";
import { instructTurn } from "./instruct-turn.ts";
import { isSpokenTo } from "./may-go-on.ts";
import { setPhase } from "./park.ts";
import { proposeReturn } from "./propose-return.ts";
import { catchUp, goesOn, goOn, nextTurnOf, turnOf } from "./recall-agent.ts";
import { recallRestart, restartTurn } from "./restart.ts";
import { routeTurn } from "./route-turn.ts";
import { recordBlocked } from "./settle-call.ts";
import { type StepEnd, settleStep } from "./settle-step.ts";
import { canAfford } from "./spend-tokens.ts";
import { takeTurn } from "./take-turn.ts";

/** Why an agent is stopped before it ends by itself. */
export type Stop = keyof typeof words.stopped;

/** An agent's conversation: turn by turn until it returns, or a limit stops it and it is asked for what it has. */
export function* converse(agent: AgentState): Operation<Ending> {
  yield* agent.append([taskMessage(agent)]);
  for (;;) {
    if (agent.past) yield* goOn(agent);
    const stop = stopped(agent);
    if (stop) return yield* forceReport(agent, stop);
    if (hasToHear(agent)) yield* hear(agent);
    if (agent.pool.routes.length > 0) yield* routeTurn(agent);
    const isKnown = nextTurnOf(agent)?.result !== undefined;
    const turn = yield* takeTurn(agent, requestOf(agent), false);
    if (!turn) continue;
    agent.turns++;
    if (!isKnown) agent.pool.run.totals.turns++;
    else if (!goesOn(agent)) yield* catchUp(agent);
    const end = yield* settleTurn(agent, turn);
    if (end.type === "restarted") yield* restartTurn(agent, turn, end);
    else agent.attempt = 0;
    agent.step = undefined;
    setPhase(agent, "ready");
    if (end.type !== "ended" || goesOn(agent)) continue;
    if (!(isReturn(end.ending) && isSpokenTo(agent))) return end.ending;
  }
}

/** Whether it ends because it says so: what it is told meanwhile is heard first. */
const isReturn = ({ exit }: Ending): boolean => exit === "returned" || exit === "text";

/** What stops an agent here: asked between turns. */
function stopped(agent: AgentState): Stop | undefined {
  const { run } = agent.pool;
  if (nextTurnOf(agent)?.result) return undefined;
  if (agent.past?.stop) return agent.past.stop.why as Stop;
  const winding = windingOf(agent.life);
  if (winding) return winding;
  if (agent.limit) return agent.limit;
  if (agent.turns >= agent.options.maxTurns) return "max_turns";
  if (canAfford(agent) !== "turn") return "budget";
  if (!agent.isFull) return undefined;
  run.emit({
    type: "budget:exhausted",
    agent: agent.key,
    budget: "context",
    limit: agent.model.contextWindow!,
  });
  return "context";
}

/** Whether there may be something to tell it before a turn. */
const hasToHear = (agent: AgentState): boolean =>
  agent.inbox.length > 0 || agent.pool.instructs.length > 0 || agent.past !== undefined || fillsUp(agent);

/** What it is told before a turn: by people, by the framework as its context fills up, and by hooks. */
function* hear(agent: AgentState): Operation<void> {
  const { pool, attempt } = agent;
  const known = nextTurnOf(agent);
  for (const { messages, context } of known?.heard ?? []) {
    agent.toldOfContext ||= context;
    if (messages.length > 0) yield* agent.append(messages.map(userMessage));
  }
  if (known?.result) return;
  const said = agent.inbox.splice(0);
  const steers = said.length;
  const context = fillsUp(agent);
  if (context) said.push(words.contextSoft);
  agent.toldOfContext ||= context;
  const isAsked = pool.instructs.length > 0 && attempt === 0 && !known?.heard.length;
  if (isAsked) said.push(...(yield* instructTurn(agent)));
  if (said.length > 0) yield* agent.append(said.map(userMessage));
  if (pool.run.recorder && (said.length > 0 || isAsked))
    pool.run.note({
      type: "record:heard",
      agent: agent.key,
      turn: agent.turns + 1,
      attempt,
      messages: said,
      steers,
      context,
    });
}

/** Whether its context fills up, and it was not told yet. */
function fillsUp({ model, pool, session, toldOfContext }: AgentState): boolean {
  const window = model.contextWindow;
  return window !== undefined && !toldOfContext && session.tokens >= window * pool.budget.context.soft;
}

function* settleTurn(agent: AgentState, turn: Turn): Operation<StepEnd> {
  const known = turnOf(agent);
  if (known?.restarted) return recallRestart(agent, known.restarted);
  if (turn.calls.length > 0) {
    const end = yield* settleStep(agent, turn);
    if (end.type === "next" && agent.repetition) yield* minded(agent, turn);
    return end;
  }
  if (turn.finish === "refusal") {
    const reason = `the model refused: ${turn.text || "without a word"}`;
    return { type: "ended", ending: { exit: "model_error", result: undefined, reason } };
  }
  if (turn.finish === "length") return yield* say(agent, words.cutOff);
  if ((turn.text ?? "").trim() === "") return yield* say(agent, words.empty);
  // who was spoken to meanwhile hears it before ending
  if (known && !known.returned && goesOn(agent)) return { type: "next" };
  if (isSpokenTo(agent) && !known?.returned) return { type: "next" };
  const returned = yield* proposeReturn(agent, turn.text!);
  if (returned.type !== "rejected") return returned;
  recordBlocked(agent, { id: `${agent.key}:${agent.turns}`, tool: "" }, returned.outcome);
  return yield* say(agent, returned.outcome.message);
}

/** An agent that goes round in circles is spoken to, then stopped. */
function* minded(agent: AgentState, turn: Turn): Operation<void> {
  const calls = turn.calls.map(({ tool, input }) => ({
    tool,
    input: String(input),
    repeatable: agent.options.tools.get(tool)?.tool.repeatable ?? false,
  }));
  const verdict = agent.repetition!.note(calls);
  if (verdict === "stop") agent.limit ??= "repetition";
  if (verdict === "warn") yield* say(agent, words.repeating);
}

function* say(agent: AgentState, text: string): Operation<StepEnd> {
  yield* agent.append([userMessage(text)]);
  return { type: "next" };
}

const userMessage = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** Without tools to call, the form of the answer can be asked of the model itself. */
function requestOf(agent: AgentState): GenerateRequest {
  const tools = agent.visible;
  const { output } = agent.options;
  return tools.length === 0 && output ? { tools, output: outputSchema(output) } : { tools };
}

function taskMessage({ pool, options: { system, task, output } }: AgentState): Message {
  const parts = [
    ...pool.told,
    system,
    task,
    output && words.outputForm(JSON.stringify(outputSchema(output))),
  ];
  return userMessage(parts.filter(Boolean).join("\n\n"));
}

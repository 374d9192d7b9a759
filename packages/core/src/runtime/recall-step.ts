import type { AgentState } from "./agent-state.ts";
import type { Passed, Step } from "./step.ts";

/** Puts on record which calls of a step passed their gates. What blocked the others is on record as their outcome. */
export function recordStep(agent: AgentState, step: Step, judged: boolean): void {
  const { terminal } = step;
  const passed = terminal && !step.isSettled(terminal) ? [...step.open(), terminal] : step.open();
  agent.pool.run.note({
    type: "record:step",
    agent: agent.key,
    turn: agent.turns,
    attempt: agent.attempt,
    judged,
    todos: [...agent.todos],
    reviews: passed[0]?.call.reviews ?? [],
    calls: passed.map(({ call, lookers, approval }) => ({
      call: call.id,
      lookers: lookers.map(({ name }) => name),
      ...(approval === undefined ? {} : { approval }),
    })),
  });
}

/** What became of a step's calls, as far as it is on record. Those that were on their way have their places in line. */
export function recallStep(agent: AgentState, step: Step): void {
  // what was refused side by side was refused in an order of its own
  const calls = [...step.open()].sort((a, b) => refusalOf(a) - refusalOf(b));
  for (const at of calls) recallCall(agent, step, at);
}

const refusalOf = ({ call }: Passed): number => call.past?.refusal?.index ?? -1;

function recallCall(agent: AgentState, step: Step, at: Passed): void {
  const { call } = at;
  const { past } = call;
  if (!past) return;
  if (past.made) {
    call.dispatched = true;
    agent.toolCallCount++;
  }
  const { outcome } = past;
  if (!outcome) return;
  call.ticket = agent.pool.run.places.get(call.id);
  if (outcome.type === "refused" || outcome.type === "cancelled")
    agent.refusals.push({ tool: call.tool, guard: outcome.guard, message: outcome.message });
  step.settle(at, outcome);
}

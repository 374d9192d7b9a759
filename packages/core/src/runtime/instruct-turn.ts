import type { Operation } from "effection";
import { isMessage, readAnswer } from "../decisions/answers.ts";
import type { TurnAnswer } from "../values/hooks.ts";
import type { AgentState } from "./agent-state.ts";
import { askHook } from "./ask-hooks.ts";

/** What an agent has to read before a turn: everybody is asked. A hook that fails says nothing. */
export function* instructTurn(agent: AgentState): Operation<string[]> {
  const { pool } = agent;
  const said: string[] = [];
  for (const hook of pool.instructs) {
    const asked = yield* askHook(hook, {
      agent,
      moment: "beforeTurn",
      input: () => ({ agent: agent.view, run: pool.run.id, turn: agent.turns + 1 }),
      read: (given) => readAnswer<TurnAnswer>(given, { instruct: ({ text }) => isMessage(text) }),
    });
    if (asked.type === "answered") said.push(asked.answer.text);
  }
  return said;
}

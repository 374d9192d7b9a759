import { all, call, type Operation, scoped } from "effection";
import { contender, type Open } from "./contender.ts";
import { stopwatch } from "./stopwatch.ts";
import { answer, checkWork, queryOf, type TurnsSettings, task, tool, unitsOf } from "./turns.ts";

/** The least that one would write by hand: `call` for the model, `scoped` for the tool, nobody decides anything. */
const open: Open<TurnsSettings> = (settings) =>
  contender(function* () {
    let calls = 0;
    function* search(args: { q: string }): Operation<unknown> {
      calls++;
      return tool.find(args);
    }
    const lap = stopwatch();
    const answers = yield* all(
      Array.from({ length: settings.agents }, (_, agent) => converse(agent, settings.turns, search)),
    );
    const passed = lap();
    checkWork(settings, { answers, calls });
    return { units: unitsOf(settings), ...passed };
  });
export default open;

interface Turn {
  readonly text?: string;
  readonly calls: readonly { readonly id: string; readonly input: string }[];
}

async function generate(agent: number, turn: number, turns: number): Promise<Turn> {
  return turn <= turns
    ? { calls: [{ id: `call_${turn}`, input: JSON.stringify({ q: queryOf(agent, turn) }) }] }
    : { text: answer, calls: [] };
}

function* converse(
  agent: number,
  turns: number,
  search: (args: { q: string }) => Operation<unknown>,
): Operation<string> {
  const messages = [task(agent)];
  for (let turn = 1; ; turn++) {
    const { text, calls } = yield* call(() => generate(agent, turn, turns));
    if (text !== undefined) return text;
    for (const { input } of calls) {
      const args = tool.parameters.parse(JSON.parse(input));
      messages.push(JSON.stringify(yield* scoped(() => search(args))));
    }
  }
}

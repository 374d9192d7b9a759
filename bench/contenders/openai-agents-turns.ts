import { Agent, tool as agentsTool, type Model, type ModelResponse, Runner, Usage } from "@openai/agents";
import type { Open } from "./contender.ts";
import { promisedTurns } from "./promised-turns.ts";
import { answer, queryOf, system, type TurnsSettings, task, tool } from "./turns.ts";

/** OpenAI's agents SDK on a model that plays a script, without traces. One runner serves all agents. */
const open: Open<TurnsSettings> = (settings) => {
  let calls = 0;
  const runner = new Runner({ tracingDisabled: true });
  const search = agentsTool({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    execute: async (args) => {
      calls++;
      return tool.find(args);
    },
  });
  const converse = async (agent: number): Promise<unknown> => {
    const model = new ScriptedModel(agent, settings.turns);
    const asked = new Agent({ name: `agent ${agent}`, instructions: system, model, tools: [search] });
    const { finalOutput } = await runner.run(asked, task(agent), { maxTurns: settings.turns + 1 });
    return finalOutput;
  };
  return promisedTurns(settings, converse, () => calls);
};
export default open;

class ScriptedModel implements Model {
  readonly #agent: number;
  readonly #turns: number;
  #turn = 0;

  constructor(agent: number, turns: number) {
    this.#agent = agent;
    this.#turns = turns;
  }

  async getResponse(): Promise<ModelResponse> {
    const turn = ++this.#turn;
    return {
      usage: new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 }),
      output: [turn <= this.#turns ? this.#call(turn) : said],
    };
  }

  getStreamedResponse(): never {
    throw new Error("nothing here streams");
  }

  #call(turn: number): ModelResponse["output"][number] {
    return {
      type: "function_call",
      callId: `call_${turn}`,
      name: tool.name,
      arguments: JSON.stringify({ q: queryOf(this.#agent, turn) }),
      status: "completed",
    };
  }
}

const said: ModelResponse["output"][number] = {
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: answer }],
};

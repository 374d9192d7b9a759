import { tool as aiTool, generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import type { Open } from "./contender.ts";
import { promisedTurns } from "./promised-turns.ts";
import { answer, queryOf, system, type TurnsSettings, task, tool } from "./turns.ts";

/** The AI SDK's own loop, on its own mock model. */
const open: Open<TurnsSettings> = (settings) => {
  let calls = 0;
  const tools = {
    [tool.name]: aiTool({
      description: tool.description,
      inputSchema: tool.parameters,
      execute: async (args) => {
        calls++;
        return tool.find(args);
      },
    }),
  };
  const converse = async (agent: number): Promise<string> => {
    const { text } = await generateText({
      model: modelOf(agent, settings.turns),
      system,
      prompt: task(agent),
      tools,
      stopWhen: stepCountIs(settings.turns + 1),
    });
    return text;
  };
  return promisedTurns(settings, converse, () => calls);
};
export default open;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

function modelOf(agent: number, turns: number): MockLanguageModelV3 {
  let turn = 0;
  return new MockLanguageModelV3({
    doGenerate: async () => {
      turn++;
      if (turn > turns)
        return {
          content: [{ type: "text", text: answer }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: [],
        };
      const input = JSON.stringify({ q: queryOf(agent, turn) });
      return {
        content: [{ type: "tool-call", toolCallId: `call_${turn}`, toolName: tool.name, input }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

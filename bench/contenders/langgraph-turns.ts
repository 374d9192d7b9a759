import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { Open } from "./contender.ts";
import { promisedTurns } from "./promised-turns.ts";
import { answer, queryOf, system, type TurnsSettings, task, tool } from "./turns.ts";

/** LangGraph's prebuilt agent on a chat model that plays a script. One compiled graph serves all agents. */
const open: Open<TurnsSettings> = (settings) => {
  let calls = 0;
  const search = langchainTool(
    async (args: { q: string }) => {
      calls++;
      return JSON.stringify(tool.find(args));
    },
    { name: tool.name, description: tool.description, schema: tool.parameters },
  );
  const graph = createReactAgent({
    llm: new ScriptedChatModel(settings.turns),
    tools: [search],
    prompt: system,
  });
  const converse = async (agent: number): Promise<unknown> => {
    const { messages } = await graph.invoke(
      { messages: [{ role: "user", content: task(agent) }] },
      { recursionLimit: 2 * settings.turns + 5 },
    );
    return messages.at(-1)?.content;
  };
  return promisedTurns(settings, converse, () => calls);
};
export default open;

/** What it says depends on what it is shown alone: whose task it is, and how many turns there were. */
class ScriptedChatModel extends BaseChatModel {
  readonly turns: number;

  constructor(turns: number) {
    super({});
    this.turns = turns;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]) {
    const turn = 1 + messages.filter((message) => message.getType() === "ai").length;
    const asked = messages.find((message) => message.getType() === "human");
    const agent = Number(/\d+/.exec(String(asked?.content))?.[0]);
    const args = { q: queryOf(agent, turn) };
    const message =
      turn <= this.turns
        ? new AIMessage({
            content: "",
            tool_calls: [{ id: `call_${turn}`, name: tool.name, args, type: "tool_call" }],
          })
        : new AIMessage(answer);
    return { generations: [{ text: String(message.content), message }] };
  }
}

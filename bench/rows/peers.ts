import type { Entry } from "../measure/measure.ts";
import type { Scale } from "../scale.ts";

/** What does the same work as a pool. */
export const aiSdk = "AI SDK generateText";
export const langGraph = "LangGraph createReactAgent";
export const openAiAgents = "OpenAI Agents SDK Runner";
export const bare = "a bare Effection loop";

/** The peers of the rows that measure a turn. */
export const peers = ({ turns }: Scale): readonly Entry[] => [
  { name: aiSdk, contender: "ai-sdk-turns", settings: turns },
  { name: langGraph, contender: "langgraph-turns", settings: turns },
  { name: bare, contender: "bare-turns", settings: turns },
  { name: openAiAgents, contender: "openai-agents-turns", settings: turns },
];

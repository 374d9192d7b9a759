import { all, call, type Operation, scoped } from "effection";
import type { Open } from "./contender.ts";
import { type LiveSettings, liveAgents } from "./live.ts";
import { task } from "./turns.ts";

/** Nothing but a conversation and a tool's scope for each agent. */
const open: Open<LiveSettings> = (settings) =>
  liveAgents(settings, ({ wait }) =>
    all(Array.from({ length: settings.agents }, (_, agent) => converse(agent, wait))),
  );
export default open;

function* converse(agent: number, wait: () => Operation<void>): Operation<string[]> {
  const messages = [task(agent)];
  messages.push(yield* call(async () => "wait"));
  yield* scoped(wait);
  return messages;
}

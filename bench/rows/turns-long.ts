import { count } from "../format/count.ts";
import type { Scale } from "../scale.ts";
import { compare } from "./compare.ts";
import type { Row } from "./row.ts";

const [long, short] = ["long conversations", "short conversations"];

const settings = ({ conversation }: Scale, turns: number) => ({
  agents: conversation.turns / turns,
  turns,
});

export const turnsLong: Row = {
  number: 3,
  title: "a turn of a long conversation beside one of a short",
  conditions: ({ conversation: { turns, long, short } }) =>
    `${count(turns)} turns in conversations of ${long}, and as many in conversations of ${short}`,
  entries: (scale) => [
    { name: long, contender: "agentpool-length", settings: settings(scale, scale.conversation.long) },
    { name: short, contender: "agentpool-length", settings: settings(scale, scale.conversation.short) },
  ],
  findings: (measured) => [compare(measured, { of: long, beside: short, unit: "turn", target: 1.1 })],
};

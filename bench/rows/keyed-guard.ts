import { count } from "../format/count.ts";
import { compare } from "./compare.ts";
import type { Row } from "./row.ts";

const [many, few] = ["many attended calls", "few attended calls"];

export const keyedGuard: Row = {
  number: 4,
  title: "a call that a keyed guard refuses, after many attended calls beside after few",
  conditions: ({ guard: { many, few, agents, calls } }) =>
    `${count(agents * calls)} refusals a round, after ${count(many)} attended calls and after ${count(few)}`,
  entries: ({ guard: { many: most, few: least, agents, calls } }) => [
    { name: many, contender: "agentpool-guard", settings: { attended: most, agents, calls } },
    { name: few, contender: "agentpool-guard", settings: { attended: least, agents, calls } },
  ],
  findings: (measured) => [compare(measured, { of: many, beside: few, unit: "call", target: 1.2 })],
};

import type { Measured } from "../measure/measure.ts";
import { figureOf } from "../measure/series.ts";
import { compare } from "./compare.ts";
import type { Finding } from "./finding.ts";
import type { Row } from "./row.ts";
import { turnConditions } from "./turn-conditions.ts";

const [on, off, strict, resume] = [
  "its run on record in SQLite",
  "nothing on record",
  "a tool that would do harm twice",
  "a run taken up again",
];

export const journal: Row = {
  number: 9,
  title: "a run on record",
  conditions: turnConditions,
  entries: ({ turns }) =>
    [
      { name: off, journal: "off" },
      { name: on, journal: "on" },
      { name: strict, journal: "strict" },
      { name: resume, journal: "resume" },
    ].map(({ name, journal }) => ({
      name,
      contender: "agentpool-journal",
      settings: { ...turns, journal },
    })),
  findings: (measured) => [
    compare(measured, { of: on, beside: off, unit: "turn", target: 1.5 }),
    compare(measured, { of: strict, beside: off, unit: "turn", label: `${off}: ${strict}` }),
    amount(measured, on, "bytesPerCall", "in the database, for each call with its turn", "bytes"),
    amount(measured, resume, "resumeMs", "until all agents of its record have come back and answered", "ms"),
  ],
};

function amount(
  measured: ReadonlyMap<string, Measured>,
  name: string,
  figure: string,
  what: string,
  unit: string,
): Finding {
  const found = measured.get(name);
  if (found?.type !== "sampled")
    return { type: "failed", what: name, reason: found?.reason ?? "not measured" };
  return { type: "amount", what, amount: figureOf(found.samples, figure), unit, target: undefined };
}

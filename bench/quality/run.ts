// Measures the research job alone: node --conditions=@agentpool/source --import tsx bench/quality/run.ts --data DIR
import { parseArgs } from "node:util";
import { qualityRows, type Row } from "./rows.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    step: { type: "string", default: "1" },
    unrelated: { type: "string", default: "10000" },
  },
});

const number = (value: number | undefined): string =>
  (value === undefined ? "–" : value.toFixed(3)).padStart(7);

function print({ what, ours, peer, target, verdict, note }: Row): void {
  console.log(
    `${verdict.padEnd(6)} ${number(ours)} plain ${number(peer)} target ${number(target)}  ${what} (${note})`,
  );
}

const rows = await qualityRows(values.data, {
  step: Number(values.step),
  unrelated: Number(values.unrelated),
  onRow: print,
});
process.exitCode = rows.some(({ verdict }) => verdict === "miss") ? 1 : 0;

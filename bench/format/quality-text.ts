import type { Row } from "../quality/rows.ts";

/** The quality of the research job, a line for each share, beside plain BM25. */
export const qualityText = (rows: readonly Row[]): string =>
  ["Q  the research job on a question set, beside plain BM25", ...rows.map(shareLine), ""].join("\n");

function shareLine({ verdict, what, ours, peer, target, note }: Row): string {
  const share = ours === undefined ? "" : `${ours.toFixed(3)}  `;
  const beside = peer === undefined ? "" : `beside ${peer.toFixed(3)}; `;
  const least = target === undefined ? "" : target === 0 ? "= 0" : `≥ ${target}`;
  return `   ${verdict.padEnd(6)} ${`${share}${what}`.padEnd(58)} ${least.padEnd(8)} ${beside}${note}`.trimEnd();
}

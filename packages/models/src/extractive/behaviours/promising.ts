import type { Hit } from "../conversation/findings.ts";
import type { Query } from "../question/query.ts";
import type { ReadDocument } from "../rank/candidates.ts";
import type { Hints } from "../rank/hints.ts";
import { rank } from "../rank/rank.ts";
import type { Weights } from "../rank/weights.ts";
import { passages } from "../text/passages.ts";

/** Documents are opened until they have this share of what all are worth. */
const enough = 0.98;
const fewest = 3;
const most = 8;
/** What all places in the search are worth together, beside all snippets: the search knows more than it shows. */
const placeShare = 0.25;

/**
 * The sources worth opening, best first. What the snippets of a search say is judged as sentences are; each hit's place in the
 * search counts too.
 */
export function promising(asked: Query, hits: readonly Hit[], weights: Weights, hints?: Hints): string[] {
  const snippets = new Map<string, number>();
  for (const { candidate, mass } of rank(asked, documentsOf(hits), weights, hints)) {
    const { path } = candidate.document;
    snippets.set(path, Math.max(snippets.get(path) ?? 0, mass));
  }
  const said = sum(snippets.values());
  const places = sum(hits.map(({ place }) => 1 / (place + 1)));
  const values = new Map<string, number>();
  for (const { source, place } of hits) {
    const value = values.get(source) ?? (snippets.get(source) ?? 0) / Math.max(said, 1e-9);
    values.set(source, value + placeShare / (place + 1) / places);
  }
  const total = sum(values.values());
  const chosen: string[] = [];
  let share = 0;
  for (const [source, value] of [...values].sort((a, b) => b[1] - a[1])) {
    if (chosen.length >= most || (chosen.length >= fewest && share >= enough)) break;
    chosen.push(source);
    share += value / total;
  }
  return chosen;
}

const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Each source with its snippets as if they were what was read of it. */
function documentsOf(hits: readonly Hit[]): ReadDocument[] {
  const bySource = new Map<string, Hit[]>();
  for (const hit of hits) {
    const list = bySource.get(hit.source);
    if (list) list.push(hit);
    else bySource.set(hit.source, [hit]);
  }
  return [...bySource].map(([path, list]) => ({
    path,
    title: list[0]!.title,
    blocks: list.flatMap(({ snippet, lines, heading }) =>
      passages([snippet.replace(/^…|…$/g, "")], lines?.[0] ?? 2, heading === "" ? [] : [heading]),
    ),
  }));
}

import { confidence } from "./confidence.ts";
import type { Ranked } from "./rank.ts";

/** One or two consecutive sentences, verbatim. */
export interface Passage {
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  readonly lines: readonly [from: number, to: number];
  readonly text: string;
  readonly words: number;
  /** How likely it holds the answer, 0 to 1. */
  readonly confidence: number;
}

export interface Selection {
  /** Most passages. */
  readonly passages: number;
  /** Most words of all passages together. */
  readonly words: number;
  /** Most sentences of a passage. */
  readonly sentences: 1 | 2;
}

/** Where one sentence is this likely, a second one would add nothing. */
const sureAlone = 0.85;
/** A neighbour less likely than this adds nothing. */
const worthAdding = 0.01;

/**
 * The passages that most likely answer, best first. Each is a sentence, or two where the second adds to the
 * probability; a sentence is quoted once, and words that were already quoted are not quoted again.
 */
export function select(ranked: readonly Ranked[], { passages, words, sentences }: Selection): Passage[] {
  const order = ranked.map((_, at) => at).sort((a, b) => ranked[b]!.mass - ranked[a]!.mass || a - b);
  const used = new Set<number>();
  const texts = new Set<string>();
  const chosen: Passage[] = [];
  let left = words;
  const take = (places: readonly number[]): boolean => {
    const passage = passageOf(places.map((place) => ranked[place]!));
    if (texts.has(passage.text)) return false;
    if (passage.words > left) return false;
    for (const place of places) used.add(place);
    texts.add(passage.text);
    chosen.push(passage);
    left -= passage.words;
    return true;
  };
  for (const place of order) {
    if (chosen.length >= passages) break;
    if (used.has(place)) continue;
    const pair = sentences === 2 ? partner(ranked, place, used) : undefined;
    // Each passage may use its part of what is left, so that a long one does not starve the rest.
    const part = left / (passages - chosen.length);
    const fits = pair?.reduce((all, at) => all + ranked[at]!.candidate.sentence.words.length, 0) ?? 0;
    if (pair && fits <= Math.max(part, longPair) && take(pair)) continue;
    take([place]);
  }
  return chosen;
}

/** Two sentences of that many words together may always stand as one passage, if there is room at all. */
const longPair = 60;

function partner(
  ranked: readonly Ranked[],
  place: number,
  used: ReadonlySet<number>,
): readonly number[] | undefined {
  const { candidate, mass } = ranked[place]!;
  if (mass >= sureAlone) return undefined;
  const free = [candidate.previous, candidate.next].filter((at) => at !== -1 && !used.has(at));
  const best = free.sort((a, b) => ranked[b]!.mass - ranked[a]!.mass)[0];
  if (best === undefined || ranked[best]!.mass < worthAdding) return undefined;
  return best < place ? [best, place] : [place, best];
}

function passageOf(parts: readonly Ranked[]): Passage {
  const first = parts[0]!.candidate;
  const last = parts.at(-1)!.candidate;
  return {
    path: first.document.path,
    title: first.document.title,
    heading: first.block.headings.at(-1) ?? "",
    lines: [first.sentence.from, last.sentence.to],
    text: parts.map(({ candidate }) => candidate.sentence.text).join(" "),
    words: parts.reduce((all, { candidate }) => all + candidate.sentence.words.length, 0),
    confidence: confidence(parts),
  };
}

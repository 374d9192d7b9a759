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

/** Once passages hold the answer this surely, less likely ones are not worth reading. */
const sureTogether = 0.999;
/** A neighbour has to add this much to what the sentence holds alone. */
const worthAdding = 0.02;
/** Two sentences of more words than this are quoted together only if their share of the room is as large. */
const longPair = 100;
/** Where even the best passage is less sure than this, nothing was found, and those below `noise` say nothing. */
const hopeless = 0.1;
const noise = 0.05;

/**
 * The passages that most likely answer, best first. Each is a sentence, or two where the second adds to the
 * probability; a sentence is quoted once, and words that were already quoted are not quoted again. Where none is likely
 * at all, what is left is little, or nothing.
 */
export function select(ranked: readonly Ranked[], { passages, words, sentences }: Selection): Passage[] {
  const order = [...ranked.keys()]
    .filter((at) => ranked[at]!.mass > 0)
    .sort((a, b) => ranked[b]!.mass - ranked[a]!.mass || a - b);
  const used = new Set<number>();
  const texts = new Set<string>();
  const chosen: Passage[] = [];
  let left = words;
  let sure = 0;
  const take = (places: readonly number[]): boolean => {
    const passage = passageOf(places.map((place) => ranked[place]!));
    if (passage.words > left || texts.has(passage.text)) return false;
    for (const place of places) {
      used.add(place);
      sure += ranked[place]!.mass;
    }
    texts.add(passage.text);
    chosen.push(passage);
    left -= passage.words;
    return true;
  };
  let at = 0;
  while (at < order.length && chosen.length < passages && sure < sureTogether) {
    const place = order[at]!;
    if (used.has(place)) {
      at++;
      continue;
    }
    // Each passage may use its part of what is left, so that a long one does not starve the rest.
    const room = Math.max(longPair, left / (passages - chosen.length));
    const pair = sentences === 2 ? likeliestPair(ranked, place, used, room) : undefined;
    // The pair may stand elsewhere: then it is this sentence's turn again.
    if (pair !== undefined && take(pair)) continue;
    take([place]);
    at++;
  }
  if (chosen.some(({ confidence }) => confidence >= hopeless)) return chosen;
  return chosen.filter(({ confidence }) => confidence >= noise);
}

/**
 * Two neighbours that are likelier than any single sentence left: usually the likeliest one with a neighbour, but two
 * that are both fairly likely may beat it.
 */
function likeliestPair(
  ranked: readonly Ranked[],
  place: number,
  used: ReadonlySet<number>,
  room: number,
): readonly number[] | undefined {
  let best: readonly number[] | undefined;
  let mass = (1 + worthAdding) * ranked[place]!.mass;
  ranked.forEach(({ candidate, mass: own }, at) => {
    const { next } = candidate;
    if (next === -1 || used.has(at) || used.has(next) || own === 0 || ranked[next]!.mass === 0) return;
    const both = own + ranked[next]!.mass;
    if (both <= mass) return;
    const length = candidate.sentence.words.length + ranked[next]!.candidate.sentence.words.length;
    if (length > room) return;
    best = [at, next];
    mass = both;
  });
  return best;
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

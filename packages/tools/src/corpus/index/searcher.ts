import type { Corrections, Frequencies, SearchHit } from "../corpus.ts";
import { likelyMeant, maybeMisspelt, mostSlips, type Term } from "./likely-meant.ts";
import { matchOf, own, parseQuery, type Query, quoted, respelt } from "./query.ts";
import { recent } from "./recent.ts";
import { type Candidate, rarity, rescored } from "./rescored.ts";
import { snippetOf, stem, stemsOf } from "./snippet.ts";
import type { Statements } from "./statements.ts";

export interface Searcher {
  search(query: string, limit: number): SearchHit[];
  /** How many passages match. */
  matches(query: string): number;
  frequencies(query: string): Frequencies;
  /** Words of the query that nothing has, and those that are searched for in their place. */
  corrections(query: string): Corrections;
}

/** How much a word counts in a document's title and path, in the headings above a passage, in its text. */
const weights = "2.0, 2.0, 1.0";
/** A word in more than this share of the passages is everywhere, unless there are few passages. */
const everywhere = { share: 1 / 10, atLeast: 3_000 };

/** Where more of a query's words are unknown, it is in another language, or about something else. */
const mostUnknown = 1 / 2;
/** Looking for what a word may mean takes as long as a search. */
const mostCorrected = 3;

/** So many passages are judged again by their text, more for whoever asks for many: a fraction of them is shown. */
const judged = (limit: number): number => Math.max(400, Math.min(600, limit * 10), limit * 2 + 10);

/** Searches an index for passages: found by the index' bm25, then ordered by their text. */
export function searcherOf({ rows }: Statements): Searcher {
  const candidates = rows<Candidate>(
    `SELECT id, document, score, plain FROM
       (SELECT rowid, bm25(words, ${weights}) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?)
     JOIN passage ON passage.id = rowid`,
  );
  const passage = rows<
    [path: string, title: string, heading: string, document: number, first: number, last: number]
  >(
    `SELECT document.path, document.title, passage.heading, document.id, passage.first, passage.last
     FROM passage JOIN document ON document.id = passage.document WHERE passage.id = ?`,
  );
  const chunks = rows<[id: number, first: number]>(
    "SELECT id, first FROM content WHERE document = ? AND first <= ? AND last >= ? ORDER BY first",
  );
  const chunk = rows<[text: string]>("SELECT text FROM content WHERE id = ?");
  const count = rows<[number]>("SELECT count(*) FROM words WHERE words MATCH ?");
  const countUpTo = rows<[number]>("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)");
  const passages = rows<[number]>("SELECT count(*) FROM passage");
  const terms = rows<Term>(
    "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
  );

  const linesOf = recent((id: number) => chunk(id)[0]![0].split("\n"), { most: 200 });
  const textOf = (document: number, first: number, last: number): string =>
    chunks(document, last, first)
      .flatMap(([id, start]) => linesOf(id).slice(Math.max(0, first - start), last - start + 1))
      .join("\n");

  let known: number | undefined;
  const allPassages = (): number => {
    known ??= passages()[0]![0];
    return known;
  };
  const isEverywhere = recent(
    (word: string) => {
      const many = Math.max(everywhere.atLeast, Math.floor(allPassages() * everywhere.share));
      return countUpTo(quoted(word), many + 1)[0]![0] > many;
    },
    { most: 2_000 },
  );

  const frequency = recent((word: string) => count(quoted(word))[0]![0], { most: 2_000 });

  const meant = recent(
    (word: string): string | undefined => {
      const stemmed = stem(word);
      const most = mostSlips(stemmed);
      const [first = ""] = stemmed;
      return likelyMeant(word, terms(first, after(first), stemmed.length - most, stemmed.length + most));
    },
    { most: 2_000 },
  );
  const correctionsTo = ({ words }: Query): Corrections => {
    const unknown = words.filter((word) => maybeMisspelt(word) && frequency(word) === 0);
    if (unknown.length > Math.max(1, words.length * mostUnknown)) return {};
    return Object.fromEntries(
      unknown.slice(0, mostCorrected).flatMap((word) => {
        const other = meant(word);
        return other === undefined ? [] : [[word, other]];
      }),
    );
  };

  const parsed = (raw: string): Query => {
    const query = parseQuery(raw);
    return respelt(query, correctionsTo(query));
  };

  return {
    corrections: (query) => correctionsTo(parseQuery(query)),
    frequencies: (raw) => {
      const query = parseQuery(raw);
      const corrections = correctionsTo(query);
      return {
        passages: allPassages(),
        words: Object.fromEntries(
          query.words.map((word) => [word, frequency(own(corrections, word) ?? word)]),
        ),
      };
    },
    matches: (query) => {
      const match = matchOf(parsed(query), isEverywhere);
      return match === undefined ? 0 : count(match)[0]![0];
    },
    search: (query, limit) => {
      const { sequence, words, ...rest } = parsed(query);
      const match = matchOf({ sequence, words, ...rest }, isEverywhere);
      if (match === undefined) return [];
      const stems = stemsOf(words);
      const found = rescored(candidates(match, judged(limit)), {
        sequence,
        words: words.map((word) => ({ word, weight: rarity(frequency(word), allPassages()) })),
      });
      const hits: SearchHit[] = [];
      const texts = new Set<string>();
      // More than asked for, because equal passages (a licence in every package) are shown once.
      for (const { id, score } of found) {
        if (hits.length === limit) break;
        const [path, title, heading, document, first, last] = passage(id)[0]!;
        const text = textOf(document, first, last);
        if (texts.has(text)) continue;
        texts.add(text);
        hits.push({
          path,
          title,
          heading,
          lines: [first, last],
          snippet: snippetOf(text, stems),
          score,
        });
      }
      return hits;
    },
  };
}

/** Where the terms that begin with a letter end. */
const after = (letter: string): string => String.fromCodePoint(letter.codePointAt(0)! + 1);

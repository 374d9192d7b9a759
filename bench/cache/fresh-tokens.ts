import { resolveModel } from "@agentpool/models";
import { research } from "@agentpool/research";
import { corpusTools, useCorpus } from "@agentpool/tools";
import { type Operation, scoped } from "effection";
import { answerTo } from "./brain.ts";
import { CachingProvider } from "./caching-provider.ts";
import { readingOn } from "./reading-on.ts";
import { rebuilt } from "./rebuilt.ts";
import { type Piece, piecesOf, type SentBody } from "./sent-body.ts";
import { streamedTurn } from "./streamed-turn.ts";
import { useProvider } from "./use-provider.ts";

/** Tokens of one research job, as a provider with a prefix cache counts them. */
export interface FreshTokens {
  readonly requests: number;
  /** Everything that was sent. */
  readonly total: number;
  /** Read afresh, with prompts as they are sent: forked. */
  readonly forked: number;
  /** The same prompts put together anew for every turn. */
  readonly rebuilt: number;
  /** The same where an agent's prompts go on from each other, and share nothing with other agents'. */
  readonly perAgent: number;
  /** Every text counted once, whoever sends it and how often: nobody can read less afresh. */
  readonly once: number;
  /** `forked / rebuilt`. */
  readonly ratio: number;
}

export interface FreshTokensOptions {
  readonly question: string;
  /** Documents: a folder, files or globs, from `cwd`. */
  readonly paths: string | readonly string[];
  readonly cwd?: string;
  /** Turns an agent takes while there is something to read. Default: as few as the engine needs. */
  readonly turns?: number;
}

/**
 * Runs the whole research job through Anthropic's real client and counts, of the very bytes it sends, what a provider
 * with a prefix cache would read afresh. The embedded engine answers in the provider's place, so the job is the same
 * in every run.
 */
export const freshTokens = ({
  question,
  paths,
  cwd,
  turns = 0,
}: FreshTokensOptions): Operation<FreshTokens> =>
  scoped(function* () {
    const tally = new Tally();
    const baseURL = yield* useProvider(function* (body) {
      const keep = tally.read(body);
      const turn = readingOn(yield* answerTo(body), body, turns);
      keep();
      return streamedTurn(turn);
    });
    const corpus = yield* useCorpus({ paths, ...(cwd === undefined ? {} : { cwd }) });
    yield* research({
      question,
      model: resolveModel("anthropic/claude-haiku-4-5", {
        providers: { anthropic: { baseURL } },
        env: { ANTHROPIC_API_KEY: "none" },
      }),
      tools: corpusTools(corpus),
      verifier: corpus,
      guards: { query_dedup: { scope: "cohort" } },
    });
    return tally.sums();
  });

/** Reads every request three times, each with a provider of its own. */
class Tally {
  readonly #ways = {
    forked: { pieces: piecesOf, provider: new CachingProvider(), fresh: 0 },
    rebuilt: {
      pieces: (body: SentBody) => rebuilt(body, "every turn"),
      provider: new CachingProvider(),
      fresh: 0,
    },
    perAgent: {
      pieces: (body: SentBody) => rebuilt(body, "per agent"),
      provider: new CachingProvider(),
      fresh: 0,
    },
  } satisfies Record<string, Way>;
  readonly #seen = new Set<string>();
  #once = 0;
  #requests = 0;
  #total = 0;

  /** Counts a request; gives what to call when its answer begins. */
  read(body: SentBody): () => void {
    this.#requests++;
    for (const { text, tokens } of piecesOf(body)) {
      if (this.#seen.has(text)) continue;
      this.#seen.add(text);
      this.#once += tokens;
    }
    const readings = Object.values(this.#ways).map((way) => {
      const reading = way.provider.read(way.pieces(body));
      way.fresh += reading.fresh;
      return reading;
    });
    this.#total += readings[0]!.total;
    return () => {
      for (const reading of readings) reading.keep();
    };
  }

  sums(): FreshTokens {
    const { forked, rebuilt, perAgent } = this.#ways;
    return {
      requests: this.#requests,
      total: this.#total,
      once: this.#once,
      forked: forked.fresh,
      rebuilt: rebuilt.fresh,
      perAgent: perAgent.fresh,
      ratio: forked.fresh / rebuilt.fresh,
    };
  }
}

interface Way {
  readonly pieces: (body: SentBody) => Piece[];
  readonly provider: CachingProvider;
  fresh: number;
}

import { createHash } from "node:crypto";
import type { Piece } from "./sent-body.ts";

/** From so many tokens on a prefix is kept. */
const leastKept = 1_024;

/** So many pieces before a breakpoint are looked at for what is kept. */
const lookback = 20;

/** A prompt that is being answered: what was read of it, and what is kept once the answer begins. */
export interface Reading {
  readonly total: number;
  readonly fresh: number;
  keep(): void;
}

/**
 * A provider that keeps the prefixes it was asked to keep, by the rules of
 * [Anthropic's prompt caching](https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching): it keeps what ends
 * at a breakpoint, from when the answer begins, and finds it again at a breakpoint or up to twenty pieces before one.
 */
export class CachingProvider {
  readonly #kept = new Set<string>();

  read(pieces: readonly Piece[]): Reading {
    const prefixes: { readonly digest: string; readonly tokens: number }[] = [];
    const hash = createHash("sha256");
    let total = 0;
    for (const { text, tokens } of pieces) {
      total += tokens;
      prefixes.push({ digest: hash.update(`${text.length}:${text}`).copy().digest("base64"), tokens: total });
    }
    const breakpoints = pieces.flatMap(({ isBreakpoint }, at) => (isBreakpoint ? [at] : []));
    const cached = Math.max(0, ...breakpoints.map((at) => this.#longestKept(prefixes, at)));
    return {
      total,
      fresh: total - cached,
      keep: () => {
        for (const at of breakpoints) {
          const { digest, tokens } = prefixes[at]!;
          if (tokens >= leastKept) this.#kept.add(digest);
        }
      },
    };
  }

  #longestKept(
    prefixes: readonly { readonly digest: string; readonly tokens: number }[],
    from: number,
  ): number {
    for (let at = from; at >= Math.max(0, from - lookback); at--) {
      if (this.#kept.has(prefixes[at]!.digest)) return prefixes[at]!.tokens;
    }
    return 0;
  }
}

import { describe, expect, it } from "vitest";
import { CachingProvider } from "./caching-provider.ts";
import type { Piece } from "./sent-body.ts";

const piece = (text: string, isBreakpoint = false, tokens = 1_000): Piece => ({ text, tokens, isBreakpoint });
const fresh = (provider: CachingProvider, pieces: readonly Piece[]): number => {
  const reading = provider.read(pieces);
  reading.keep();
  return reading.fresh;
};

describe("a caching provider", () => {
  it("reads afresh what does not begin like something it was asked to keep", () => {
    const provider = new CachingProvider();
    expect(fresh(provider, [piece("a"), piece("b", true), piece("c")])).toBe(3_000);
    expect(fresh(provider, [piece("a"), piece("b", true), piece("d")])).toBe(1_000);
    expect(fresh(provider, [piece("A"), piece("b", true), piece("d")])).toBe(3_000);
    expect(fresh(provider, [piece("a"), piece("b"), piece("d")])).toBe(3_000);
  });

  it("finds what it kept some pieces before a breakpoint, and not further back", () => {
    const provider = new CachingProvider();
    fresh(provider, [piece("a"), piece("b", true)]);
    const more = (n: number) => Array.from({ length: n }, (_, at) => piece(`${n}.${at}`, at === n - 1));
    expect(provider.read([piece("a"), piece("b"), ...more(20)]).fresh).toBe(20_000);
    expect(provider.read([piece("a"), piece("b"), ...more(21)]).fresh).toBe(23_000);
  });

  it("keeps nothing before its answer begins, and nothing that is too short", () => {
    const provider = new CachingProvider();
    const pieces = [piece("a"), piece("b", true)];
    provider.read(pieces);
    expect(provider.read(pieces).fresh).toBe(2_000);
    fresh(provider, [piece("short", true)]);
    expect(provider.read([piece("short", true)]).fresh).toBe(1_000);
  });
});

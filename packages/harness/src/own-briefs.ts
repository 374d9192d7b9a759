const digits = (count: number): string => "[0-9]".repeat(count);
const saved = `reports/${digits(8)}-${digits(6)}-${"[0-9a-f]".repeat(6)}.md`;

/**
 * What to leave out of a corpus: the briefs that earlier runs saved. Quoted as documents they would bear themselves
 * out. Where a path asks for reports they are documents like any other.
 */
export const ownBriefs = (paths: readonly string[]): string[] =>
  paths.some((path) => /(?:^|[\\/])reports(?:[\\/]|$)/.test(path)) ? [] : [`**/${saved}`];

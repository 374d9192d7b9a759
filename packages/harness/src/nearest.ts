import { closest, distance } from "fastest-levenshtein";

/** The known name that was probably meant, if one is near enough. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const best = closest(
    name.toLowerCase(),
    known.map((candidate) => candidate.toLowerCase()),
  );
  const found = known.find((candidate) => candidate.toLowerCase() === best)!;
  return distance(name.toLowerCase(), best) <= Math.max(2, Math.ceil(name.length / 3)) ? found : undefined;
}

/** ` Did you mean model?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

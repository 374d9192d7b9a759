import { expect, test } from "vitest";
import { corrected } from "./corrected.ts";

test("words that a search took for others are replaced as whole words, capitals kept", () => {
  const corrections = [["ghandi", "gandhi"]] as const;
  expect(corrected("What was Ghandi's work, ghandiesque?", corrections)).toBe(
    "What was Gandhi's work, ghandiesque?",
  );
  expect(corrected("Who wrote Emma?", [])).toBe("Who wrote Emma?");
});

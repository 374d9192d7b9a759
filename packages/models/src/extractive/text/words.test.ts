import { expect, test } from "vitest";
import { words } from "./words.ts";

test("words compare by their stems, without accents, case and possessives", () => {
  expect(words("Brontë’s inventions INVENTED naïve").map(({ stem }) => stem)).toEqual([
    "bront",
    "invent",
    "invent",
    "naiv",
  ]);
});

test("a number is one word whatever separates its digits", () => {
  expect(words("7,000,000 or 3.5").map(({ plain }) => plain)).toEqual(["7000000", "or", "3.5"]);
});

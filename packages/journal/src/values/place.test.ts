import { expect, test } from "vitest";
import { storePlace, withoutPassword } from "./place.ts";

test.each([
  ["postgres://ada:hunter2@db.example/runs", "postgres://ada:…@db.example/runs"],
  ["postgres://:hunter2@db.example/runs", "postgres://:…@db.example/runs"],
  ["postgres://ada:hun@ter2@db.example:5432/runs?ssl=true", "postgres://ada:…@db.example:5432/runs?ssl=true"],
  ["postgres://ada:hunter/2@db.example/runs", "postgres://ada:…@db.example/runs"],
  ["postgres://db.example/runs?user=ada&password=hunter2", "postgres://db.example/runs?user=ada&password=…"],
  ["postgres://ada@db.example:5432/runs", "postgres://ada@db.example:5432/runs"],
  ["sqlite:.pool/runs.db", "sqlite:.pool/runs.db"],
])("%s is shown as %s", (url, shown) => expect(withoutPassword(url)).toBe(shown));

test("a URL as it is shown still says where a store is", () => {
  expect(storePlace(withoutPassword("postgres://ada:hunter2@db.example/runs")).type).toBe("postgres");
});

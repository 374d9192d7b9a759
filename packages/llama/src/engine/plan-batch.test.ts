import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planBatch } from "./plan-batch.ts";

const work = (...left: number[]) => left.map((count, id) => ({ id, left: count }));
const counts = (left: number[], size: number) =>
  planBatch(work(...left), size).map(({ work: { id }, count }) => [id, count]);

describe("a batch", () => {
  it("has everybody's next token", () => {
    expect(counts([1, 1, 1], 512)).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  it("is filled with a long text where nobody speaks", () => {
    expect(counts([2_000, 2_000], 512)).toEqual([[0, 512]]);
  });

  it("takes only a part of a long text while others speak", () => {
    expect(counts([2_000, 1, 1], 512)).toEqual([
      [1, 1],
      [2, 1],
      [0, 128],
    ]);
  });

  it("never has more than fits, always does something, and no more of anything than there is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 8, max: 512 }),
        (left, size) => {
          const shares = planBatch(work(...left), size);
          const all = shares.reduce((sum, { count }) => sum + count, 0);
          expect(all).toBeGreaterThan(0);
          expect(all).toBeLessThanOrEqual(size);
          for (const share of shares) {
            expect(share.count).toBeGreaterThan(0);
            expect(share.count).toBeLessThanOrEqual(share.work.left);
          }
          expect(new Set(shares.map((share) => share.work)).size).toBe(shares.length);
        },
      ),
    );
  });
});

import { call, type Operation } from "effection";
import { reasonOf } from "./measure/reason.ts";
import type { Row } from "./quality/rows.ts";

/** The quality of the research job on a question set. Where it can't be measured, one row says why. */
export function* measureQuality(data: string, quick: boolean): Operation<readonly Row[]> {
  try {
    const { qualityRows } = yield* call(() => import("./quality/rows.ts"));
    return yield* call(() => qualityRows(data, quick ? { step: 10, unrelated: 0 } : {}));
  } catch (error) {
    const note = reasonOf(error);
    return [
      {
        what: "the research job",
        ours: undefined,
        peer: undefined,
        target: undefined,
        verdict: "absent",
        note,
      },
    ];
  }
}

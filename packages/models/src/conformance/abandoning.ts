import assert from "node:assert/strict";
import { scoped, spawn } from "effection";
import { readTurn } from "../read-turn.ts";
import type { ConformanceCase, HangingModel, MakeSubject } from "./conformance.ts";
import { asked, call, speak, turnOf } from "./conversations.ts";

/** Generations that nobody reads to their end. */
export function abandoning(
  subject: MakeSubject,
  hanging: (() => HangingModel) | undefined,
): ConformanceCase[] {
  const cases: ConformanceCase[] = [
    {
      name: "a generation that was abandoned leaves no message, and the session goes on",
      *run() {
        const { model, shown } = yield* subject();
        const session = yield* asked(model);
        const held = session.tokens;
        for (const request of [speak, call("note")]) {
          yield* scoped(function* () {
            const subscription = yield* session.generate(request);
            assert.equal((yield* subscription.next()).done, false, "a turn that says something has a delta");
          });
          assert.equal(session.tokens, held);
        }
        yield* turnOf(session, speak);
        const prompt = shown()?.at(-1);
        if (prompt === undefined) return;
        assert.deepEqual(
          prompt.map(({ role }) => role),
          ["system", "user"],
        );
      },
    },
    {
      name: "a generation that nobody reads does not happen",
      *run() {
        const { model, shown } = yield* subject();
        const session = yield* asked(model);
        const held = session.tokens;
        session.generate(speak);
        yield* scoped(function* () {
          yield* session.generate(speak);
        });
        assert.equal(session.tokens, held);
        assert.equal(shown()?.length ?? 0, 0);
      },
    },
  ];
  if (hanging === undefined) return cases;
  return [
    ...cases,
    {
      name: "halting a reader releases what its generation holds, and leaves the session as it was",
      *run() {
        const { model, started, held } = hanging();
        const session = yield* asked(model);
        const before = session.tokens;
        const reader = yield* spawn(() => readTurn(session.generate(speak)));
        yield* started;
        assert.equal(held(), 1, "a generation is under way");
        yield* reader.halt();
        assert.equal(held(), 0, "nothing is held once its reader is gone");
        assert.equal(session.tokens, before);
      },
    },
  ];
}

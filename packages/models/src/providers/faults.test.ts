import type { GenerateRequest, Message, Prefix, Session, Turn } from "@agentpool/core";
import { type Operation, run, scoped, spawn, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../clock.testing.ts";
import { failureKind, InterruptedError } from "../failure/model-failure.ts";
import { HeldBackError } from "../limiter/limiter.ts";
import { readTurn } from "../read-turn.ts";
import { formats } from "./formats.testing.ts";
import { type Reply, refused, streamed, useWire } from "./wire.testing.ts";

const prefix: Prefix = { system: "You are brief.", tools: [] };
const open: GenerateRequest = { tools: [] };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

function* asking(session: Session): Operation<Turn | Error> {
  try {
    return (yield* readTurn(session.generate(open))).turn;
  } catch (error) {
    return error as Error;
  }
}

/** Lets what has arrived be read. */
function* settle(): Operation<void> {
  const next = withResolvers<void>();
  setImmediate(next.resolve);
  yield* next.operation;
}

for (const [name, { model, events, words, limit }] of Object.entries(formats)) {
  const fine = streamed(events({ text: "Here.", finish: words.stop }));

  function* asked(replies: readonly Reply[], timeoutMs = 1_000) {
    const clock = yield* useManualClock();
    const wire = yield* useWire(...replies);
    const session = yield* model(wire.url, { timeoutMs }).open(prefix);
    yield* session.append([user("Find it.")]);
    return { clock, wire, session };
  }

  describe(`${name} in trouble`, () => {
    for (const [what, reply, deltas] of [
      ["headers never come", { type: "hang" }, 0],
      ["body stops in the middle", streamed(events({ text: "Look" }), "hang"), 2],
    ] as const) {
      it(`is given up once it was silent for too long: its ${what}; others go on`, () =>
        run(function* () {
          const { clock, wire, session } = yield* asked([reply, fine, fine]);
          const waits = yield* wire.waits;
          const hangups = yield* wire.hangups;
          const arrived = withResolvers<void>();
          const failing = yield* spawn(() => failureAfter(session, deltas, arrived.resolve));
          yield* waits.next();
          yield* arrived.operation;
          yield* settle();
          const other = yield* session.fork();
          yield* other.append([user("And this.")]);
          expect(yield* asking(other)).toMatchObject({ text: "Here." });
          const held = session.tokens;
          clock.advance(1_000);
          const failure = yield* failing;
          expect(failure).toBeInstanceOf(InterruptedError);
          expect(failure.message).toContain("nothing came for 1000 ms");
          expect((yield* hangups.next()).done).toBe(false);
          expect(session.tokens).toBe(held);
          expect(yield* asking(session)).toMatchObject({ text: "Here." });
          expect(clock.pending).toBe(0);
        }));
    }

    it("is not given up while it says something now and then", () =>
      run(function* () {
        const { clock, session } = yield* asked([fine], 1_000);
        const reading = yield* session.generate(open);
        let said = "";
        for (let next = yield* reading.next(); !next.done; next = yield* reading.next()) {
          if (next.value.type === "text") said += next.value.text;
          clock.advance(999);
        }
        expect(said).toBe("Here.");
      }));

    it("is asked again after a server error, and asked less often meanwhile", () =>
      run(function* () {
        const { clock, wire, session } = yield* asked([
          refused(500, { error: { message: "oops" } }),
          refused(502, "<html>bad gateway</html>"),
          fine,
        ]);
        for (let at = 0; at < 2; at++) {
          expect(yield* asking(session)).toBeInstanceOf(InterruptedError);
          clock.advance(1_000);
        }
        expect(yield* asking(session)).toMatchObject({ text: "Here." });
        expect(new Set(wire.received.map(({ body }) => body)).size).toBe(1);
      }));

    it("that asks one to wait makes everybody wait, and is asked nothing meanwhile", () =>
      run(function* () {
        const { clock, wire, session } = yield* asked([
          refused(429, limit, { "retry-after": "30" }),
          fine,
          fine,
        ]);
        const others = [yield* session.fork(), yield* model(wire.url).open(prefix)];
        yield* others[1]!.append([user("Another.")]);
        expect(yield* asking(session)).toMatchObject({ retryAfterMs: 30_000 });
        clock.advance(10_000);
        for (const other of others) {
          const failure = yield* asking(other);
          expect(failure).toBeInstanceOf(HeldBackError);
          expect(failure).toMatchObject({ retryAfterMs: 20_000 });
        }
        expect(wire.received).toHaveLength(1);
        clock.advance(20_000);
        expect(yield* asking(others[0]!)).toMatchObject({ text: "Here." });
      }));

    it("is told apart: away from the start, wrong key, no such model, no money, and a request that is wrong", () =>
      run(function* () {
        const { wire, session } = yield* asked([
          refused(401, { error: { message: "bad key" } }),
          refused(404, { error: { message: "no model" } }),
          refused(429, { error: { message: "pay", code: "insufficient_quota", type: "insufficient_quota" } }),
          refused(400, { error: { message: "too long" } }),
          refused(400, {
            error: { message: "Your credit balance is too low to go on.", type: "invalid_request_error" },
          }),
        ]);
        const kinds: string[] = [];
        for (let at = 0; at < 5; at++) kinds.push(failureKind(yield* asking(session)));
        expect(kinds).toEqual(["unauthorised", "missing", "spent", "rejected", "spent"]);
        expect(wire.received).toHaveLength(5);
        const closed = yield* scoped(function* () {
          return (yield* useWire()).url;
        });
        const nobody = yield* model(closed).open(prefix);
        yield* nobody.append([user("Anybody?")]);
        const failure = yield* asking(nobody);
        expect(failureKind(failure)).toBe("unreachable");
        expect(failure).not.toBeInstanceOf(InterruptedError);
        expect((failure as Error).message).toContain("is it running there?");
      }));
  });
}

/** Reads until it fails; says once so many deltas are there and more is waited for. */
function* failureAfter(session: Session, deltas: number, arrived: () => void): Operation<Error> {
  const reading = yield* session.generate(open);
  try {
    for (let at = 0; ; at++) {
      if (at === deltas) arrived();
      yield* reading.next();
    }
  } catch (error) {
    return error as Error;
  }
}

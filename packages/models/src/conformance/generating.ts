import assert from "node:assert/strict";
import type { Delta, GenerateRequest } from "@agentpool/core";
import { readTurn } from "../read-turn.ts";
import type { ConformanceCase, MakeSubject } from "./conformance.ts";
import { asked, call, speak, textIn, turnOf, user } from "./conversations.ts";

/** Turns: their deltas, their usage, and what they leave in the session. */
export function generating(subject: MakeSubject): ConformanceCase[] {
  return [
    {
      name: "deltas add up to the turn",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model);
        for (const request of [speak, call("note")]) {
          const { turn, deltas } = yield* readTurn(session.generate(request));
          assert.equal(joined(deltas, "text"), turn.text ?? "");
          assert.equal(joined(deltas, "reasoning"), turn.reasoning ?? "");
          const announced = deltas.flatMap((delta) =>
            delta.type === "call" ? [[delta.id, delta.tool]] : [],
          );
          assert.deepEqual(
            announced,
            turn.calls.map(({ id, tool }) => [id, tool]),
          );
        }
      },
    },
    {
      name: "the same stream can be read more than once: each reading is a turn of its own",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model);
        const start = session.mark();
        const stream = session.generate(speak);
        yield* readTurn(stream);
        yield* session.rewind(start);
        assert.ok((yield* readTurn(stream)).turn.text !== undefined);
      },
    },
    {
      name: "a turn says what it used and why it ended",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model);
        const said = yield* turnOf(session, speak);
        for (const [name, value] of Object.entries(said.usage)) {
          assert.ok(Number.isFinite(value) && value >= 0, `usage.${name} must be a count, and is ${value}`);
        }
        assert.ok(said.usage.input > 0, "usage.input must count what was read");
        assert.ok(said.usage.output > 0, "usage.output must count what was said");
        assert.ok(said.usage.cached <= said.usage.input, "usage.cached is a part of usage.input");
        assert.equal(said.finish, "stop");
        assert.equal((yield* turnOf(session, call("note"))).finish, "calls");
      },
    },
    {
      name: "a turn that was read to its end is in the session",
      *run() {
        const { model, shown } = yield* subject();
        const session = yield* asked(model);
        const held = session.tokens;
        const turn = yield* turnOf(session, speak);
        assert.ok(turn.text, "a turn without calls says something");
        assert.ok(session.tokens > held, "the turn adds tokens");
        yield* session.append([user("Say it again.")]);
        yield* turnOf(session, speak);
        const prompt = shown()?.at(-1);
        if (prompt === undefined) return;
        assert.deepEqual(
          prompt.map(({ role }) => role),
          ["system", "user", "assistant", "user"],
        );
        assert.ok(textIn([prompt[2]!]).includes(JSON.stringify(turn.text)), "with the very words");
      },
    },
    {
      name: "text of a schema is JSON that has the schema's required parts",
      *run() {
        const { model } = yield* subject();
        const output = { type: "object", properties: { ready: { type: "boolean" } }, required: ["ready"] };
        const request: GenerateRequest = { ...speak, output };
        const turn = yield* turnOf(yield* asked(model, "Are you ready?"), request);
        assert.equal(typeof JSON.parse(turn.text ?? "").ready, "boolean");
      },
    },
  ];
}

const joined = (deltas: readonly Delta[], type: "text" | "reasoning"): string =>
  deltas.map((delta) => (delta.type === type ? delta.text : "")).join("");

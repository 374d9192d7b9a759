import assert from "node:assert/strict";
import type { Turn } from "@agentpool/core";
import type { ConformanceCase, MakeSubject } from "./conformance.ts";
import { allowed, answer, asked, call, speak, turnOf } from "./conversations.ts";

/** Calls: which, how often, and under what ids. */
export function calling(subject: MakeSubject): ConformanceCase[] {
  return [
    {
      name: "a forced tool is called, and no other, with arguments that are a JSON object",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model, "Note that the sky is blue.");
        for (const tool of allowed) {
          const turn = yield* turnOf(session, call(tool));
          assert.ok(turn.calls.length > 0, `${tool} must be called`);
          for (const made of turn.calls) {
            assert.equal(made.tool, tool);
            const args: unknown = JSON.parse(made.input);
            assert.ok(
              typeof args === "object" && args !== null && !Array.isArray(args),
              "arguments are an object",
            );
          }
          yield* answer(session, turn);
        }
      },
    },
    {
      name: "where no call is allowed none is made",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model, "Note that the sky is blue.");
        assert.deepEqual((yield* turnOf(session, speak)).calls, []);
        assert.deepEqual((yield* turnOf(session, { tools: [], toolChoice: "none" })).calls, []);
      },
    },
    {
      name: "tools that a turn does not list are not called",
      *run() {
        const { model } = yield* subject();
        for (const tool of allowed) {
          const session = yield* asked(model, "Use every tool you have.");
          const turn = yield* turnOf(session, { tools: [tool] });
          for (const made of turn.calls) assert.equal(made.tool, tool);
        }
        const session = yield* asked(model, "Use every tool you have.");
        assert.deepEqual((yield* turnOf(session, { tools: [] })).calls, []);
      },
    },
    {
      name: "a required call is made, to a tool that the turn lists",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model, "Note that the sky is blue.");
        const turn = yield* turnOf(session, { tools: ["note"], toolChoice: "required" });
        assert.ok(turn.calls.length > 0, "a call must be made");
        for (const made of turn.calls) assert.equal(made.tool, "note");
      },
    },
    {
      name: "call ids are unique within a session and its forks, and results are matched by them",
      *run() {
        const { model, shown } = yield* subject();
        const source = yield* asked(model, "Note that the sky is blue.");
        const turns: Turn[] = [];
        for (let at = 0; at < 2; at++) {
          const turn = yield* turnOf(source, call("note"));
          yield* answer(source, turn);
          turns.push(turn);
        }
        const fork = yield* source.fork();
        const last = yield* turnOf(fork, call("note"));
        yield* answer(fork, last);
        turns.push(last);
        const ids = turns.flatMap(({ calls }) => calls.map(({ id }) => id));
        assert.ok(
          ids.every((id) => id !== ""),
          "no id is empty",
        );
        assert.equal(new Set(ids).size, ids.length, `ids must differ: ${ids.join(", ")}`);
        yield* turnOf(fork, speak);
        const prompt = shown()?.at(-1);
        if (prompt === undefined) return;
        const made = prompt.flatMap(({ role, content }) =>
          role === "assistant"
            ? content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
            : [],
        );
        assert.deepEqual(made, ids);
      },
    },
  ];
}

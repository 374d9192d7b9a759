import assert from "node:assert/strict";
import type { Session } from "@agentpool/core";
import { type Operation, scoped } from "effection";
import type { ConformanceCase, MakeSubject, Subject } from "./conformance.ts";
import { asked, prefix, speak, textIn, turnOf, user } from "./conversations.ts";

/** Forks, marks and rewinds: what a session holds, and what it must not. */
export function forking(subject: MakeSubject): ConformanceCase[] {
  return [
    {
      name: "a fork starts with what its source holds",
      *run() {
        const { model } = yield* subject();
        const source = yield* asked(model);
        assert.equal((yield* source.fork()).tokens, source.tokens);
      },
    },
    {
      name: "a fork does not see what its source appends or generates later",
      *run() {
        const made = yield* subject();
        const source = yield* asked(made.model, "Remember: apple.");
        const fork = yield* source.fork();
        const held = fork.tokens;
        yield* source.append([user("Remember: banana.")]);
        yield* turnOf(source, speak);
        assert.equal(fork.tokens, held);
        yield* shows(made, fork, ["apple"], ["banana"]);
      },
    },
    {
      name: "a source does not see what its fork appends or generates",
      *run() {
        const made = yield* subject();
        const source = yield* asked(made.model, "Remember: apple.");
        const held = source.tokens;
        const fork = yield* source.fork();
        yield* fork.append([user("Remember: banana.")]);
        yield* turnOf(fork, speak);
        assert.equal(source.tokens, held);
        yield* shows(made, source, ["apple"], ["banana"]);
      },
    },
    {
      name: "sessions that are said to last can be forked after the scope they were opened in has ended",
      *run() {
        const made = yield* subject();
        if (!made.model.lasting) return;
        const over = yield* scoped(function* () {
          return yield* (yield* asked(made.model, "Remember: apple.")).fork();
        });
        yield* shows(made, yield* over.fork(), ["apple"], []);
      },
    },
    {
      name: "a session at rest can be forked still",
      *run() {
        const made = yield* subject();
        const source = yield* asked(made.model, "Remember: apple.");
        if (source.rest) yield* source.rest();
        yield* shows(made, yield* source.fork(), ["apple"], []);
      },
    },
    {
      name: "forks of forks hold each what they were forked from, and siblings do not see each other",
      *run() {
        const made = yield* subject();
        const first = yield* asked(made.model, "Remember: apple.");
        const second = yield* first.fork();
        yield* second.append([user("Remember: banana.")]);
        const third = yield* second.fork();
        const sibling = yield* second.fork();
        yield* third.append([user("Remember: cherry.")]);
        yield* sibling.append([user("Remember: damson.")]);
        yield* shows(made, third, ["apple", "banana", "cherry"], ["damson"]);
        yield* shows(made, sibling, ["apple", "banana", "damson"], ["cherry"]);
        yield* shows(made, first, ["apple"], ["banana", "cherry", "damson"]);
      },
    },
    {
      name: "a fork outlives the turns and rewinds of its source",
      *run() {
        const made = yield* subject();
        const source = yield* made.model.open(prefix);
        const mark = source.mark();
        yield* source.append([user("Remember: apple.")]);
        const fork = yield* source.fork();
        yield* source.rewind(mark);
        yield* source.append([user("Remember: banana.")]);
        yield* turnOf(source, speak);
        yield* shows(made, fork, ["apple"], ["banana"]);
      },
    },
    {
      name: "tokens grow with what is appended, and shrink back when it is rewound",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model);
        const mark = session.mark();
        const held = session.tokens;
        assert.ok(held > 0, "a session with a prefix holds tokens");
        yield* session.append([
          user("A longer message, of which there must be some trace in the tokens held."),
        ]);
        const more = session.tokens;
        assert.ok(more > held, `appending must add tokens: ${held} before, ${more} after`);
        yield* session.rewind(mark);
        assert.equal(session.tokens, held);
      },
    },
    {
      name: "a rewind forgets what was appended and generated since, and the session goes on",
      *run() {
        const made = yield* subject();
        const session = yield* asked(made.model, "Remember: apple.");
        const mark = session.mark();
        const held = session.tokens;
        yield* session.append([user("Remember: banana.")]);
        yield* turnOf(session, speak);
        yield* session.rewind(mark);
        assert.equal(session.tokens, held);
        yield* session.append([user("Remember: cherry.")]);
        yield* shows(made, session, ["apple", "cherry"], ["banana"]);
      },
    },
    {
      name: "a mark is valid in the forks made at or after it, and rewinding one leaves the others",
      *run() {
        const made = yield* subject();
        const source = yield* asked(made.model, "Remember: apple.");
        const mark = source.mark();
        const held = source.tokens;
        const at = yield* source.fork();
        yield* source.append([user("Remember: banana.")]);
        const full = source.tokens;
        const after = yield* (yield* source.fork()).fork();
        yield* at.append([user("Remember: cherry.")]);
        yield* at.rewind(mark);
        yield* after.rewind(mark);
        assert.equal(at.tokens, held);
        assert.equal(after.tokens, held);
        assert.equal(source.tokens, full);
        yield* shows(made, after, ["apple"], ["banana", "cherry"]);
        yield* shows(made, source, ["apple", "banana"], ["cherry"]);
      },
    },
    {
      name: "a mark can be rewound to again and again",
      *run() {
        const { model } = yield* subject();
        const session = yield* asked(model);
        const mark = session.mark();
        const held = session.tokens;
        for (let at = 0; at < 3; at++) {
          yield* session.append([user(`Attempt ${at}.`)]);
          yield* session.rewind(mark);
          assert.equal(session.tokens, held);
        }
      },
    },
  ];
}

/** Generates, and looks at what the model was shown, where that can be seen. */
function* shows(
  { shown }: Subject,
  session: Session,
  held: readonly string[],
  absent: readonly string[],
): Operation<void> {
  yield* turnOf(session, speak);
  const prompt = shown()?.at(-1);
  if (prompt === undefined) return;
  const text = textIn(prompt);
  for (const word of held) assert.ok(text.includes(word), `the session must hold "${word}"`);
  for (const word of absent) assert.ok(!text.includes(word), `the session must not hold "${word}"`);
}

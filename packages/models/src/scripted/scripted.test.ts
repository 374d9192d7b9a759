import {
  type GenerateRequest,
  type Message,
  ModelLimitError,
  type Prefix,
  type Session,
} from "@agentpool/core";
import { type Operation, run, spawn, suspend, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { readTurn } from "../read-turn.ts";
import type { ScriptedTurn } from "./script.ts";
import { type ScriptedModel, scripted } from "./scripted.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [
    { name: "search", description: "Searches.", parameters: { type: "object" } },
    {
      name: "report",
      description: "Ends the task.",
      parameters: {
        type: "object",
        properties: { result: { type: "string" }, sources: { type: "array", items: { type: "string" } } },
        required: ["result"],
      },
    },
  ],
};
const open: GenerateRequest = { tools: ["search", "report"] };
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** A session that was given its task, as a pool would. */
function* opened(model: ScriptedModel, task = "find it"): Operation<Session> {
  const session = yield* model.open(prefix);
  yield* session.append([user(task)]);
  return session;
}

const playing = (...turns: ScriptedTurn[]) => scripted(() => turns);

describe("scripted", () => {
  it("plays one turn after the other, with deltas that announce what the turn holds", () =>
    run(function* () {
      const session = yield* opened(
        playing(
          { reasoning: "Look.", text: "Looking.", calls: [{ tool: "search", args: { query: "x" } }] },
          { text: "Found." },
        ),
      );
      const first = yield* readTurn(session.generate(open));
      expect(first.deltas.map(({ type }) => type)).toEqual(["reasoning", "text", "call"]);
      expect(first.turn).toMatchObject({
        reasoning: "Look.",
        text: "Looking.",
        calls: [{ tool: "search", input: '{"query":"x"}' }],
        finish: "calls",
      });
      const second = yield* readTurn(session.generate(open));
      expect(second.turn).toMatchObject({ text: "Found.", calls: [], finish: "stop" });
    }));

  it("plays malformed arguments as they are, and keeps them where a provider can take them back", () =>
    run(function* () {
      const model = playing({ calls: [{ tool: "search", args: '{ "query": ' }] }, { text: "Sorry." });
      const session = yield* opened(model);
      const { turn } = yield* readTurn(session.generate(open));
      expect(turn.calls[0]!.input).toBe('{ "query": ');
      yield* readTurn(session.generate(open));
      expect(model.requests[1]!.messages.at(-1)).toMatchObject({
        role: "assistant",
        content: [{ type: "tool-call", input: { malformed: '{ "query": ' } }],
      });
    }));

  it("gives every call of a conversation its own id, also across forks and recorded turns", () =>
    run(function* () {
      const call = { calls: [{ tool: "search" }, { tool: "search" }] };
      const session = yield* opened(playing(call, call, call));
      const ids = new Set<string>();
      const collect = function* (from: Session) {
        for (const { id } of (yield* readTurn(from.generate(open))).turn.calls) ids.add(id);
      };
      yield* collect(session);
      const fork = yield* session.fork();
      yield* collect(fork);
      expect(ids.size).toBe(4);
      const resumed = yield* opened(playing(call, call));
      yield* resumed.append([
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "call_1", toolName: "search", input: {} }],
        },
      ]);
      const { turn } = yield* readTurn(resumed.generate(open));
      expect(turn.calls.map(({ id }) => id)).not.toContain("call_1");
    }));

  it("lets a script choose ids, duplicates included", () =>
    run(function* () {
      const same = { tool: "search", id: "same" };
      const session = yield* opened(playing({ calls: [same, same] }));
      const { turn } = yield* readTurn(session.generate(open));
      expect(turn.calls.map(({ id }) => id)).toEqual(["same", "same"]);
    }));

  it("goes on after the turns of a recorded conversation, not counting those before its task", () =>
    run(function* () {
      const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
      const model = playing({ text: "one" }, { text: "two" }, { text: "three" });
      const session = yield* model.open(prefix);
      yield* session.append([user("an earlier question"), said("its answer")]);
      yield* session.append([user("find it")]);
      yield* session.append([said("one"), said("two")]);
      const { turn } = yield* readTurn(session.generate(open));
      expect(turn.text).toBe("three");
    }));

  it("keeps every request with the very messages that were shown", () =>
    run(function* () {
      const model = playing({ text: "one" }, { text: "two" });
      const session = yield* model.open(prefix);
      const task = user("find it");
      yield* session.append([task]);
      yield* readTurn(session.generate(open));
      const forced: GenerateRequest = { tools: [], toolChoice: "none" };
      yield* readTurn(session.generate(forced));
      expect(model.requests).toHaveLength(2);
      expect(model.requests[0]!.messages).toHaveLength(2);
      expect(model.requests[0]!.messages[1]).toBe(task);
      expect(model.requests[1]).toMatchObject({ task: "find it", turn: 2 });
      expect(model.requests[1]!.request).toBe(forced);
      expect(model.requestsOf("nobody")).toEqual([]);
    }));

  it("keeps nothing when told not to", () =>
    run(function* () {
      const model = scripted(() => [{ text: "one" }], { keep: false });
      yield* readTurn((yield* opened(model)).generate(open));
      expect(model.requests).toEqual([]);
    }));

  it("lets a turn depend on what the model was shown, and a whole script be a function", () =>
    run(function* () {
      const stepwise = scripted(({ task }) => [({ messages }) => ({ text: `${task}: ${messages.length}` })]);
      const { turn } = yield* readTurn((yield* opened(stepwise)).generate(open));
      expect(turn.text).toBe("find it: 2");
      const endless = scripted(() => ({ turn }) => ({ text: `turn ${turn}` }));
      const session = yield* opened(endless);
      for (let at = 1; at <= 50; at++) {
        expect((yield* readTurn(session.generate(open))).turn.text).toBe(`turn ${at}`);
      }
    }));

  it("fails a turn with the scripted error, leaves the conversation alone, and goes on with the next", () =>
    run(function* () {
      const broken = new Error("broken");
      const session = yield* opened(
        playing(
          { error: broken },
          { error: { limited: 250 } },
          { error: { limited: "unknown" } },
          { text: "fine" },
        ),
      );
      const before = session.tokens;
      expect(yield* failureOf(session)).toBe(broken);
      const limited = yield* failureOf(session);
      expect(limited).toBeInstanceOf(ModelLimitError);
      expect((limited as ModelLimitError).retryAfterMs).toBe(250);
      expect(((yield* failureOf(session)) as ModelLimitError).retryAfterMs).toBeUndefined();
      expect(session.tokens).toBe(before);
      expect((yield* readTurn(session.generate(open))).turn.text).toBe("fine");
    }));

  it("plays a turn again that was abandoned while it waited", () =>
    run(function* () {
      const waiting = withResolvers<void>();
      let halted = false;
      const session = yield* opened(
        playing({
          text: "late",
          wait: {
            *[Symbol.iterator]() {
              if (halted) return;
              try {
                waiting.resolve();
                yield* suspend();
              } finally {
                halted = true;
              }
            },
          },
        }),
      );
      const reader = yield* spawn(() => readTurn(session.generate(open)));
      yield* waiting.operation;
      yield* reader.halt();
      expect(halted).toBe(true);
      expect((yield* readTurn(session.generate(open))).turn.text).toBe("late");
    }));

  it("says which agent's script ended, and when", () =>
    run(function* () {
      const session = yield* opened(playing({ text: "one" }));
      yield* readTurn(session.generate(open));
      expect(String(yield* failureOf(session))).toMatch(
        /agent "".*"find it".*ended after 1 turns, and turn 2/,
      );
    }));

  it("makes up the forced report that its script has no turn for, valid and the same every time", () =>
    run(function* () {
      const force: GenerateRequest = { tools: ["report"], toolChoice: { tool: "report" } };
      const inputs: string[] = [];
      for (let at = 0; at < 2; at++) {
        const session = yield* opened(playing({ calls: [{ tool: "search" }] }));
        const { turn } = yield* readTurn(session.generate(force));
        expect(turn.calls.map(({ tool }) => tool)).toEqual(["report"]);
        expect(JSON.parse(turn.calls[0]!.input)).toEqual({ result: expect.stringContaining("find it") });
        inputs.push(turn.calls[0]!.input);
        const next = yield* readTurn(session.generate(open));
        expect(next.turn.calls[0]!.tool).toBe("search");
      }
      expect(inputs[0]).toBe(inputs[1]);
    }));

  it("plays the script's own turn for a forced report where it has one", () =>
    run(function* () {
      const session = yield* opened(playing({ calls: [{ tool: "report", args: { result: "mine" } }] }));
      const { turn } = yield* readTurn(
        session.generate({ tools: ["report"], toolChoice: { tool: "report" } }),
      );
      expect(turn.calls[0]!.input).toBe('{"result":"mine"}');
    }));

  it("answers in text where no call is allowed, as JSON where JSON was asked for", () =>
    run(function* () {
      const session = yield* opened(playing());
      const plain = yield* readTurn(session.generate({ tools: [], toolChoice: "none" }));
      expect(plain.turn.calls).toEqual([]);
      expect(plain.turn.text).toContain("find it");
      const output = { type: "object", properties: { n: { type: "integer", minimum: 3 } }, required: ["n"] };
      const json = yield* readTurn(session.generate({ tools: [], toolChoice: "none", output }));
      expect(JSON.parse(json.turn.text!)).toEqual({ n: 3 });
    }));

  it("estimates usage the same way every time, and takes what the script says of it", () =>
    run(function* () {
      const session = yield* opened(
        playing({ text: "one" }, { text: "two", usage: { input: 7, cached: 5 } }),
      );
      const before = session.tokens;
      const { usage } = (yield* readTurn(session.generate(open))).turn;
      expect(usage).toEqual({ input: before, output: session.tokens - before, cached: 0 });
      expect((yield* readTurn(session.generate(open))).turn.usage).toMatchObject({ input: 7, cached: 5 });
    }));
});

function* failureOf(session: Session): Operation<unknown> {
  try {
    yield* readTurn(session.generate(open));
  } catch (error) {
    return error;
  }
  throw new Error("did not fail");
}

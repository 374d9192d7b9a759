import type { Message, Prefix } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { Conversation, messagesAt } from "./conversation.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [{ name: "search", description: "Searches.", parameters: { type: "object" } }],
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const textsOf = (messages: readonly Message[]) =>
  messages.map((message) =>
    message.role === "system"
      ? message.content
      : message.content.map((part) => "text" in part && part.text).join(""),
  );

describe("Conversation", () => {
  it("starts with the system message, and with none where the system text is empty", () => {
    expect(Conversation.open(prefix).messages()).toEqual([{ role: "system", content: "You are brief." }]);
    expect(Conversation.open({ system: "", tools: [] }).messages()).toEqual([]);
  });

  it("does not show a fork what is appended later, nor the original what the fork appends", () => {
    const original = Conversation.open(prefix);
    original.append([user("a")]);
    const fork = original.fork();
    original.append([user("b")]);
    fork.append([user("c"), user("d")]);
    expect(textsOf(original.messages())).toEqual(["You are brief.", "a", "b"]);
    expect(textsOf(fork.messages())).toEqual(["You are brief.", "a", "c", "d"]);
  });

  it("shares the very same message objects with its forks", () => {
    const original = Conversation.open(prefix);
    original.append([user("a")]);
    const fork = original.fork().fork();
    fork.append([user("b")]);
    const [system, first] = original.messages();
    expect(fork.messages()[0]).toBe(system);
    expect(fork.messages()[1]).toBe(first);
  });

  it("rewinds to a mark, also one made before a fork in that fork", () => {
    const original = Conversation.open(prefix);
    original.append([user("a")]);
    const mark = original.mark();
    original.append([user("b")]);
    const fork = original.fork();
    fork.append([user("c")]);
    fork.rewind(mark);
    expect(textsOf(fork.messages())).toEqual(["You are brief.", "a"]);
    expect(textsOf(original.messages())).toEqual(["You are brief.", "a", "b"]);
    fork.append([user("x")]);
    expect(textsOf(fork.since(mark))).toEqual(["x"]);
  });

  it("refuses marks that it does not lead through, and keeps its content", () => {
    const original = Conversation.open(prefix);
    const fork = original.fork();
    fork.append([user("a")]);
    original.append([user("b")]);
    const later = original.mark();
    expect(() => fork.rewind(later)).toThrow(/another conversation/);
    expect(() => fork.rewind({})).toThrow(/another conversation/);
    expect(textsOf(fork.messages())).toEqual(["You are brief.", "a"]);
  });

  it("refuses a mark that lies ahead of the place it was rewound to", () => {
    const conversation = Conversation.open(prefix);
    const start = conversation.mark();
    conversation.append([user("a")]);
    const ahead = conversation.mark();
    conversation.rewind(start);
    expect(() => conversation.rewind(ahead)).toThrow(/already rewound/);
  });

  it("keeps what a mark led to, whatever happens afterwards", () => {
    const conversation = Conversation.open(prefix);
    conversation.append([user("a")]);
    const shown = conversation.mark();
    conversation.append([user("b")]);
    expect(textsOf(messagesAt(shown))).toEqual(["You are brief.", "a"]);
  });

  it("knows what was added since a mark, also after a rewind past it", () => {
    const conversation = Conversation.open(prefix);
    const start = conversation.mark();
    conversation.append([user("a")]);
    const mark = conversation.mark();
    conversation.append([user("b")]);
    expect(textsOf(conversation.since(mark))).toEqual(["b"]);
    conversation.rewind(start);
    expect(conversation.since(mark)).toEqual([]);
    conversation.append([user("c"), user("d")]);
    expect(textsOf(conversation.since(mark))).toEqual(["c", "d"]);
  });

  it("counts tokens that grow with what is appended and shrink back on a rewind", () => {
    const conversation = Conversation.open(prefix);
    const empty = conversation.tokens;
    const mark = conversation.mark();
    conversation.append([user("four score and seven years ago")]);
    const one = conversation.tokens;
    conversation.append([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "1", toolName: "search", input: { q: "x" } }],
      },
    ]);
    expect(one).toBeGreaterThan(empty);
    expect(conversation.tokens).toBeGreaterThan(one);
    conversation.rewind(mark);
    expect(conversation.tokens).toBe(empty);
  });

  it("counts the tools of the prefix", () => {
    expect(Conversation.open(prefix).tokens).toBeGreaterThan(
      Conversation.open({ system: prefix.system, tools: [] }).tokens,
    );
  });

  it("takes a provider's count where it is higher, and carries it on into what follows", () => {
    const conversation = Conversation.open(prefix);
    conversation.append([user("a")]);
    const estimate = conversation.tokens;
    conversation.counted(estimate - 1);
    expect(conversation.tokens).toBe(estimate);
    conversation.counted(estimate + 500);
    expect(conversation.tokens).toBe(estimate + 500);
    conversation.append([user("b")]);
    expect(conversation.tokens).toBeGreaterThan(estimate + 500);
  });

  it("finds the latest message of a role", () => {
    const conversation = Conversation.open(prefix);
    conversation.append([
      user("a"),
      { role: "assistant", content: [{ type: "text", text: "b" }] },
      user("c"),
    ]);
    conversation.append([{ role: "assistant", content: [{ type: "text", text: "d" }] }]);
    expect(conversation.last("user")).toEqual(user("c"));
    expect(conversation.last("tool")).toBeUndefined();
  });

  it("is not slowed down or overflowed by length or depth", () => {
    const conversation = Conversation.open(prefix);
    for (let at = 0; at < 20_000; at++) conversation.append([user(`${at}`)]);
    let deep: unknown = "x";
    for (let at = 0; at < 20_000; at++) deep = [deep];
    conversation.append([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "1", toolName: "search", input: deep }],
      },
    ]);
    expect(conversation.tokens).toBeGreaterThan(20_000);
    expect(conversation.messages()).toHaveLength(20_002);
  });
});

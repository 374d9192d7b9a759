import {
  type AgentPoolOptions,
  agentPool,
  ConfigurationError,
  defineTool,
  delegate,
  type GuardInput,
  type Model,
  parallel,
  type Redactor,
  reportTool,
  requireApproval,
  type Tool,
  type ToolLifecycleHooks,
  useAgent,
} from "@agentpool/core";
import { type ScriptedModel, type ScriptedTurn, scripted } from "@agentpool/models";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, casting, instant, noted, ofType, playing, report, thrownBy } from "../scenarios/support.ts";
import { approve, openLife, playLife, seenBy, shownIn, waiting } from "./support.ts";

const ANN = "ann@example.com";
const CARD = "4111 1111 1111 1111";

/** A tool that takes anything and returns what the test says. */
const returning = (value: unknown, asked: unknown[] = []): Tool =>
  defineTool({
    name: "look",
    description: "Looks.",
    parameters: z.looseObject({}),
    execute: (args) => {
      asked.push(args);
      return value;
    },
  });

/** What the model reads of a tool's result. */
function* readOf(value: unknown, redact: Redactor = {}) {
  const model = playing(ask("look"), report());
  yield* playLife({ model, tools: [returning(value)], redact });
  return shownIn(model, 2)[0]!.value;
}

/** What a tool gets of a call that the model wrote, after it read a value. */
function* gotFor(value: unknown, args: Record<string, unknown>, redact: Redactor = {}) {
  const asked: unknown[] = [];
  const model = playing(ask("look"), ask("look", args), report());
  yield* playLife({ model, tools: [returning(value, asked)], redact, repetition: false });
  return asked[1];
}

describe("a redacted value", () => {
  it("is a placeholder wherever a model could read it: system text, tools, tasks, results, errors, messages, the spine", () =>
    run(function* () {
      const model = casting({
        a: [
          ask("look"),
          ask("fail"),
          ask("refused"),
          { text: "That is all.", reasoning: "I know [EMAIL_1]." },
        ],
        b: [report()],
      });
      const prefixes: unknown[] = [];
      const rig = yield* openLife({
        model: { ...model, open: (prefix) => noted(prefixes, prefix, model.open(prefix)) },
        system: `You work for ${ANN}.`,
        tools: [
          { ...returning({ from: ANN }), description: `Looks for ${ANN}.` },
          instant("fail", {
            execute: () => {
              throw new Error(`no ${ANN}`);
            },
          }),
          instant("refused", {
            hooks: { beforeDispatch: [{ name: "no", reject: () => true, message: `ask ${ANN}` }] },
          }),
        ],
        *orchestrate(pool) {
          yield* pool.extendSpine(`Who is ${ANN}?`, `${ANN} is a person.`);
          yield* pool.waitFor(yield* pool.spawn({ task: `Write to ${ANN}.`, key: "a" }));
          yield* pool.waitFor(yield* pool.spawn({ task: `And again to ${ANN}.`, key: "b" }));
        },
        redact: {},
        hooks: [{ afterAdmit: () => ({ type: "followUp", message: `Tell ${ANN}.` }) }],
      });
      yield* rig.handle.result;
      expect(seenBy(model)).not.toContain(ANN);
      expect(JSON.stringify(prefixes)).toContain("Looks for [EMAIL_1].");
      expect(JSON.stringify(prefixes)).not.toContain(ANN);
      expect(new Set(seenBy(model).match(/\[[A-Z]+_\d+\]/g))).toEqual(new Set(["[EMAIL_1]"]));
    }));

  it("is restored before hooks, people and tools see the call, in every event of it, and in the result", () =>
    run(function* () {
      const seen: string[] = [];
      const see = (who: string, args: Record<string, unknown>) => noted(seen, `${who} ${args.q}`, undefined);
      const hooks: ToolLifecycleHooks = {
        rewrite: ({ call }) => see("rewrite", call.args),
        beforeDispatch: [
          {
            name: "asks",
            tools: ["write"],
            decide: ({ args }: GuardInput) => noted(seen, `guard ${args.q}`, requireApproval("a person")),
          },
        ],
        onPropose: ({ calls }) => see("propose", calls[0]!.args),
        onResult: ({ call, result }) => {
          see("result", call.args);
          seen.push(JSON.stringify(result));
        },
        onReturn: ({ result }) => noted(seen, `return ${result}`, undefined),
      };
      const write = instant("write");
      const rig = yield* openLife({
        model: playing(ask("write", { q: "[EMAIL_1]" }), report("Wrote to [EMAIL_1].")),
        orchestrate: parallel([`Write to ${ANN}.`]),
        tools: [write],
        hooks: [
          {
            ...hooks,
            rewrite: ({ call }) => (call.tool === "write" ? hooks.rewrite!({ call } as never) : undefined),
          },
        ],
        redact: {},
      });
      seen.push(`person ${waiting(rig).args.q}`);
      yield* approve(rig, waiting(rig));
      const { agents } = yield* rig.handle.result;
      expect(seen).toEqual([
        `rewrite ${ANN}`,
        `guard ${ANN}`,
        `propose ${ANN}`,
        `person ${ANN}`,
        `result ${ANN}`,
        `{"answer":"${ANN}"}`,
        `return Wrote to ${ANN}.`,
      ]);
      expect(write.asked).toEqual([ANN]);
      expect(agents[0]).toMatchObject({ result: `Wrote to ${ANN}.`, report: { result: `Wrote to ${ANN}.` } });
      const named = rig.events.filter(({ type }) => type.startsWith("call:") || type.startsWith("approval:"));
      expect(JSON.stringify(named)).not.toContain("EMAIL_1");
    }));

  it("keeps its placeholder within a run: in every agent, turn and nested pool; another has another", () =>
    run(function* () {
      const entries: string[] = [];
      const model = scripted(({ key }): ScriptedTurn[] =>
        key === "agent/0"
          ? [ask("look"), ask("delegate", { tasks: ["Find [EMAIL_1] and [EMAIL_2]."] }), report()]
          : [report("[EMAIL_2] is bob@example.com")],
      );
      const { result } = yield* playLife({
        model,
        orchestrate: parallel([`Write to ${ANN}.`, `Write to bob@example.com and ${ANN}.`]),
        tools: [returning([ANN, "bob@example.com"]), delegate()],
        redact: { record: ({ placeholder, value }) => entries.push(`${placeholder} ${value}`) },
      });
      expect(entries).toEqual([`[EMAIL_1] ${ANN}`, "[EMAIL_2] bob@example.com"]);
      expect(shownIn(model, 2)[0]!.value).toEqual(["[EMAIL_1]", "[EMAIL_2]"]);
      expect(seenBy(model)).toContain("Find [EMAIL_1] and [EMAIL_2].");
      expect(seenBy(model)).toContain("Write to [EMAIL_2] and [EMAIL_1].");
      expect(result.agents[1]!.result).toBe("bob@example.com is bob@example.com");
    }));

  it("of a nested pool's own redactor is hidden there, beside what the pool around hides", () =>
    run(function* () {
      const model = casting({
        "agent/0": [ask("nest"), report()],
        "agent/0:1#0~0/0": [report("[EMAIL_1] ordered [TEXT_1]")],
      });
      const found: unknown[] = [];
      const nest = instant("nest", {
        *execute() {
          const { agents } = yield* agentPool({
            orchestrate: parallel([`${ANN} ordered ORD-1.`]),
            redact: { kinds: [], patterns: { order: /ORD-\d+/ } },
          });
          found.push(agents[0]!.result);
          return "done";
        },
      });
      yield* playLife({ model, tools: [nest], redact: { kinds: ["email"] } });
      expect(seenBy(model)).not.toContain("ORD-1");
      expect(seenBy(model)).not.toContain(ANN);
      expect(found).toEqual([`${ANN} ordered ORD-1`]);
    }));

  it("is not shown by forking from an agent of a pool that hides less: that is an error", () =>
    run(function* () {
      const model = casting({ "agent/a": [ask("nest"), report()], b: [report()] });
      const thrown: unknown[] = [];
      const nest = instant("nest", {
        *execute(_args, { agent }) {
          try {
            yield* agentPool({
              redact: {},
              *orchestrate(pool) {
                yield* pool.waitFor(yield* pool.spawn({ task: "b", key: "b", parent: agent }));
              },
            });
          } catch (error) {
            thrown.push(error);
          }
          return "done";
        },
      });
      yield* playLife({
        model,
        tools: [nest],
        *orchestrate(pool) {
          yield* pool.waitFor(yield* pool.spawn({ task: `Write to ${ANN}.`, key: "a" }));
        },
      });
      expect(String(thrown[0])).toContain("hides less from its model");
      expect(seenBy(model).split(ANN)).toHaveLength(1 + model.requestsOf("agent/a").length);
    }));

  it("has its mapping on record and never in an event: no event holds the placeholder beside the value", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: playing(ask("look", { who: "[EMAIL_1]" }), report("[EMAIL_1]")),
        orchestrate: parallel([`Write to ${ANN}.`]),
        tools: [returning({ [ANN]: 1 })],
        redact: {},
      });
      for (const event of events)
        expect(/\[EMAIL_1\]/.test(JSON.stringify(event)), `${event.type} holds a placeholder`).toBe(false);
      expect(ofType(events, "turn:completed")[0]!.result.calls[0]!.input).toContain(ANN);
    }));
});

describe("what is hidden in a result", () => {
  it("are keys as well as texts, however deep", () =>
    run(function* () {
      expect(yield* readOf({ [ANN]: { list: [ANN, { deep: `<${ANN}>` }] } })).toEqual({
        "[EMAIL_1]": { list: ["[EMAIL_1]", { deep: "<[EMAIL_1]>" }] },
      });
    }));

  it("are numbers that are such a value as a whole, and no others", () =>
    run(function* () {
      const value = { card: 4111111111111111, count: 12, list: [7, 70] };
      expect(yield* readOf(value, { patterns: { seven: /\b7\b/ } })).toEqual({
        card: "[CARD_1]",
        count: 12,
        list: ["[SEVEN_1]", 70],
      });
    }));

  it("is a number again in a call that uses it as one, and a text where it was one", () =>
    run(function* () {
      const value = { number: 4111111111111111, text: CARD };
      const args = { a: "[CARD_1]", b: "[CARD_2]", c: "card [CARD_1]", "[CARD_1]": 1 };
      expect(yield* gotFor(value, args)).toEqual({
        a: 4111111111111111,
        b: CARD,
        c: "card 4111111111111111",
        "4111111111111111": 1,
      });
    }));

  it("comes back whole where it has quotes, line ends or backslashes in it", () =>
    run(function* () {
      const name = 'Ann "the\\fox"\nMiller';
      const redact: Redactor = {
        find: (text) => (text.includes(name) ? [{ kind: "name", value: name }] : []),
      };
      expect(yield* gotFor({ name }, { who: "[NAME_1]", to: 'so "[NAME_1]"' }, redact)).toEqual({
        who: name,
        to: `so "${name}"`,
      });
    }));

  it("is not the structure of messages: ids, roles, types and names of tools stay, whatever a pattern finds in them", () =>
    run(function* () {
      const model = playing(
        { calls: [{ tool: "look", args: {}, id: "call_4111111111111111" }] },
        ask("look", { text: "x" }),
        report(),
      );
      const { result } = yield* playLife({
        model,
        tools: [returning({ role: "look" })],
        redact: { kinds: ["card"], patterns: { words: /look|text|role|tool|type|user|object|properties/ } },
      });
      expect(result.agents[0]).toMatchObject({ exit: "returned", attendedCount: 2 });
      expect(shownIn(model, 2)[0]).toEqual({
        id: "call_4111111111111111",
        tool: "look",
        type: "json",
        value: { "[WORDS_2]": "[WORDS_1]" },
      });
    }));

  it("a text that only looks like a placeholder is not taken for one", () =>
    run(function* () {
      const asked: unknown[] = [];
      const model = playing(ask("look", { text: "[EMAIL_7] [TEXT_1] [EMAIL_1]" }), report());
      yield* playLife({
        model,
        orchestrate: parallel([`${ANN} wrote "[EMAIL_1]".`]),
        tools: [returning("", asked)],
        redact: {},
      });
      expect(asked).toEqual([{ text: `[EMAIL_7] [EMAIL_1] ${ANN}` }]);
    }));

  it("in an answer whose form was asked for is put back without breaking it", () =>
    run(function* () {
      const name = 'Ann "Fox" Miller';
      const { result } = yield* useAgent({
        model: playing({ text: '{"who":"[NAME_1]","card":"[CARD_1]"}' }),
        task: `${name} pays.`,
        system: "4111111111111111",
        output: z.object({ who: z.string(), card: z.string() }),
        redact: { find: (text) => (text.includes(name) ? [{ kind: "name", value: name }] : []) },
      });
      expect(result).toEqual({ who: name, card: "4111111111111111" });
    }));
});

describe("a redactor", () => {
  const pool = (redact: unknown): AgentPoolOptions => ({
    model: playing(report()) as Model,
    terminal: reportTool,
    orchestrate: parallel(["look"]),
    redact: redact as Redactor,
  });

  it("takes a pattern with and without the g flag, and a sticky one: all it finds is hidden", () =>
    run(function* () {
      const redact = { kinds: [], patterns: { a: /A-\d/, b: /B-\d/g, c: /C-\d/y, d: /d-\d/i } };
      expect(yield* readOf("A-1 A-2 B-1 B-2 C-1 C-2 D-1 d-2", redact)).toBe(
        "[A_1] [A_2] [B_1] [B_2] [C_1] [C_2] [D_1] [D_2]",
      );
    }));

  for (const [what, redact, message] of [
    ["a pattern that is none", { patterns: { order: "ORD" } }, "redact.patterns.order: found string"],
    ["a kind there is not", { kinds: ["emial"] }, 'did you mean "email"?'],
    ["a setting there is not", { pattern: {} }, 'did you mean "patterns"?'],
    ["find that is no function", { find: "x" }, "redact.find: found string; accepted is a function."],
    ["something else altogether", true, "redact: found boolean"],
  ] as const)
    it(`with ${what} is an error before anything runs`, () =>
      run(function* () {
        const error = yield* thrownBy(agentPool(pool(redact)));
        expect(error).toBeInstanceOf(ConfigurationError);
        expect((error as Error).message).toContain(message);
      }));

  it("that throws lets nothing through: the agent fails, and its model has read nothing", () =>
    run(function* () {
      const model: ScriptedModel = playing(report());
      const { result } = yield* playLife({
        model,
        redact: {
          find: (text) => {
            if (text.includes(ANN)) throw new Error("broken");
            return [];
          },
        },
        orchestrate: parallel([`Write to ${ANN}.`]),
      });
      expect(result.agents[0]).toMatchObject({ exit: "model_error" });
      expect(seenBy(model)).not.toContain(ANN);
    }));

  for (const [what, text] of Object.entries({
    "a megabyte of one letter": "a".repeat(1_000_000),
    "a megabyte of zeros": "0".repeat(1_000_000),
    "a megabyte of dots and letters": "a.".repeat(500_000),
    "a megabyte of opening brackets": "[A".repeat(500_000),
    "a megabyte of at signs": "a@".repeat(500_000),
    "a megabyte of digits apart": "0 ".repeat(500_000),
    "a megabyte of one address": `${"a".repeat(1_000_000)}@example.com`,
    "a megabyte of letters after one address": `a@b.cc ${"a".repeat(1_000_000)}`,
    "a megabyte of addresses, each another": Array.from(
      { length: 50_000 },
      (_, n) => `a${n}@example.com `,
    ).join(""),
  }))
    it(`looks at ${what} in no time`, { timeout: 20_000 }, () =>
      run(function* () {
        expect(yield* readOf(text)).toBeTypeOf("string");
      }),
    );
});

import { parallel, type Rule, reportTool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, instant, ofType, play, playing, report, textOf } from "../scenarios/support.ts";
import {
  applies,
  breach,
  course,
  judging,
  lastText,
  pass,
  reviewsIn,
  shipped,
  shop,
  shownTo,
} from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Help the customer."]) };
const polite: Rule = { title: "Polite", content: "Be polite.", when: "a customer is spoken to" };
const money: Rule = { title: "Money", content: "Confirm every amount.", when: "money moves" };

describe("a rule", () => {
  it("without a condition is told once, at the beginning, and no model is asked about it", () =>
    run(function* () {
      const model = playing(ask("search"), ask("search", { q: "b" }), report());
      const { events } = yield* play({
        ...base,
        model,
        tools: [instant("search")],
        rules: [shipped],
        reviewer: reviewer(),
      });
      expect(lastText(model.requests[0]!.messages)).toContain(
        "Shipped orders: Only orders that have not shipped may be cancelled.",
      );
      expect(textOf(model.requests.at(-1)!.messages).match(/Shipped orders/g)).toHaveLength(1);
      expect(reviewsIn(events)).toEqual([]);
    }));

  it("that matches enters the instructions of the turn, appended, and is said to be over when it no longer does", () =>
    run(function* () {
      const model = playing(
        ask("search", { q: "a" }),
        ask("search", { q: "b" }),
        ask("search", { q: "c" }),
        report(),
      );
      yield* play({
        ...base,
        model,
        system: "You help.",
        tools: [instant("search")],
        rules: [polite, money],
        reviewer: reviewer({
          models: judging(applies("r1"), applies("r1", "r2"), applies("r2"), applies("r2")),
        }),
      });
      const texts = model.requests.map(({ messages }) => lastText(messages));
      expect(texts[0]).toMatch(/applies:\n- Polite: Be polite\.$/);
      expect(texts[1]).toMatch(/applies:\n- Money: Confirm every amount\.$/);
      expect(texts[2]).toBe("This no longer applies: Polite.");
      expect(texts[3]).toBe("");
      // the shared prefix is never edited: each request begins with all of the one before
      for (const [at, { messages }] of model.requests.entries())
        if (at > 0)
          expect(textOf(messages).startsWith(textOf(model.requests[at - 1]!.messages).slice(0, -1))).toBe(
            true,
          );
    }));

  it("is matched with all others of its turn by one model at once, and once a turn, restarts included", () =>
    run(function* () {
      const { tools } = shop();
      const rules = judging(applies("r1", "r2"));
      const { events } = yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), ask("cancel_order", { order: 2 }), report()),
        tools,
        rules: [polite, money],
        reviewer: reviewer({
          models: { "review.rules": rules, "review.tools": judging(breach(), pass()) },
        }),
      });
      expect(course(events)).toEqual([
        "review:matched",
        "review:started",
        "review:restarted",
        "review:started",
        "review:passed",
        "review:matched",
      ]);
      const shown = shownTo(rules, 0);
      for (const part of ["Polite", "a customer is spoken to", "Money", "money moves", "Help the customer."])
        expect(shown).toContain(part);
    }));

  it("is held against the conversation as it stands: results that were read included", () =>
    run(function* () {
      const rules = judging(applies());
      yield* play({
        ...base,
        model: playing(ask("search", { q: "the parcel is lost" }), report()),
        tools: [instant("search")],
        rules: [polite],
        reviewer: reviewer({ models: rules }),
      });
      expect(shownTo(rules, 0)).not.toContain("the parcel is lost");
      expect(shownTo(rules, 1)).toContain("the parcel is lost");
    }));

  it("about tools that an agent does not have does not apply to it, and is not asked about", () =>
    run(function* () {
      const { tools } = shop();
      const rules = judging(applies("r1"));
      yield* play({
        terminal: reportTool,
        orchestrate: parallel([{ task: "Look.", tools: ["get_order"] }]),
        model: playing(report()),
        tools,
        rules: [{ ...money, tools: ["cancel_order"] }],
        reviewer: reviewer({ models: rules }),
      });
      expect(rules.requests).toEqual([]);
    }));

  for (const [what, ...said] of [
    ["answers no JSON, twice", { text: "All of them." }, { text: "I said all of them." }],
    ["names a rule there is not, twice", applies("r9"), applies("r9")],
    ["fails", { error: new Error("503") }],
    ["takes too long", { wait: 100_000, ...applies() }],
  ] as const)
    it(`of which nobody can say whether it applies is taken to: the model ${what}`, () =>
      run(function* () {
        const search = instant("search");
        const model = playing(ask("search", { q: "a" }), report());
        const { events } = yield* play({
          ...base,
          model,
          tools: [search],
          rules: [{ ...money, review: true }],
          reviewer: reviewer({ models: { "review.rules": judging(said), "review.tools": judging(pass()) } }),
        });
        expect(ofType(events, "review:matched")[0]).toMatchObject({
          checked: ["Money"],
          matched: ["Money"],
          failure: { problem: expect.stringMatching(/malformed|model|timed_out/) },
        });
        expect(ofType(events, "review:passed")).toHaveLength(1);
        expect(lastText(model.requests[0]!.messages)).toContain("Confirm every amount.");
      }));

  it("that matched is shown to the reviewer; one that did not is not", () =>
    run(function* () {
      const judge = judging(pass());
      yield* play({
        ...base,
        model: playing(ask("search"), report()),
        tools: [instant("search")],
        review: true,
        rules: [polite, money],
        reviewer: reviewer({ models: { "review.rules": judging(applies("r2")), "review.tools": judge } }),
      });
      expect(shownTo(judge)).toContain("Confirm every amount.");
      expect(shownTo(judge)).not.toContain("Be polite.");
    }));

  it("is on record with what matching took, and costs no turn", () =>
    run(function* () {
      const { events, result } = yield* play({
        ...base,
        model: playing({ ...report(), usage: { input: 1, output: 1 } }),
        tools: [instant("search")],
        rules: [money],
        reviewer: reviewer({ models: judging({ ...applies("r1"), usage: { input: 50, output: 5 } }) }),
      });
      expect(ofType(events, "review:matched")).toMatchObject([
        {
          agent: "agent/0",
          turn: 1,
          matched: ["Money"],
          failure: undefined,
          usage: { input: 50, output: 5 },
        },
      ]);
      expect(result.agents[0]).toMatchObject({ turns: 1, usage: { input: 51, output: 6 } });
    }));

  it("of each agent's turns is that agent's own", () =>
    run(function* () {
      const model = playing(report());
      yield* play({
        ...base,
        orchestrate: parallel(["pay", "chat"]),
        model,
        tools: [instant("search")],
        rules: [money],
        reviewer: reviewer({ models: judging(applies("r1"), applies()) }),
      });
      const told = model.requests.map(({ messages }) => textOf(messages).includes("Confirm every amount."));
      expect(told.sort()).toEqual([false, true]);
    }));
});

describe("the rules of an agent that was forked from another", () => {
  it("are those that its conversation already holds: told once, and said to be over where they are", () =>
    run(function* () {
      const model = scripted(({ key }) => [ask("search", { q: key }), report(key)]);
      // the parent is spoken to all along; one child is, another counts money
      const rules = scripted(({ key }) =>
        key.includes("money") ? () => applies("r2") : () => applies("r1"),
      );
      yield* play({
        terminal: reportTool,
        model,
        tools: [instant("search")],
        rules: [shipped, polite, money],
        reviewer: reviewer({ models: rules }),
        *orchestrate({ spawn, waitFor }) {
          const parent = yield* spawn({ task: "Help.", key: "parent" });
          yield* waitFor(parent);
          for (const key of ["same", "money"])
            yield* waitFor(yield* spawn({ task: "Help too.", key, parent }));
        },
      });
      const told = (key: string) =>
        model.requests
          .findLast((request) => request.key.endsWith(key))!
          .messages.flatMap(({ role, content }) =>
            role === "user" ? content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
          )
          .filter((text) => /applies/.test(text));
      const [first] = told("parent");
      expect(first).toMatch(/Shipped orders.*\n- Polite/);
      expect(told("parent")).toEqual([first]);
      expect(told("same")).toEqual([first]);
      expect(told("money")).toEqual([
        first,
        "From here on this applies:\n- Money: Confirm every amount.\nThis no longer applies: Polite.",
      ]);
    }));
});

it("what a hook has an agent told before a turn is told once, also where the turn is sent back", () =>
  run(function* () {
    const { tools } = shop();
    const model = playing(
      ask("cancel_order", { order: 1 }),
      ask("cancel_order", { order: 2 }),
      ask("cancel_order", { order: 3 }),
      report(),
    );
    const asked: number[] = [];
    yield* play({
      ...base,
      model,
      tools,
      hooks: [
        {
          beforeTurn({ turn }) {
            asked.push(turn);
            return { type: "instruct", text: `This is turn ${turn}.` };
          },
        },
      ],
      reviewer: reviewer({ models: judging(breach(), breach(), pass()) }),
    });
    expect(asked).toEqual([1, 2]);
    const shown = textOf(model.requests.at(-1)!.messages);
    expect(shown.match(/This is turn \d/g)).toEqual(["This is turn 1", "This is turn 2"]);
  }));

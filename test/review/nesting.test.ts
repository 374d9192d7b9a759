import {
  agentPool,
  defineTool,
  delegate,
  type Effort,
  parallel,
  reportTool,
  runPool,
  useAgent,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, casting, instant, ofType, play, playing, report, textOf } from "../scenarios/support.ts";
import { applies, breach, judging, pass, reviewsIn, shipped, shop, shownTo } from "./support.ts";

const base = { terminal: reportTool, orchestrate: parallel(["Cancel it."]) };
const delegating = (key: string, tasks: readonly string[]) =>
  key.includes("~") ? undefined : [ask("delegate", { tasks: [...tasks] }), report()];

describe("a pool inside a call", () => {
  it("is reviewed as the pool around it asks, by its reviewer, under its rules", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = judging(breach("Only those that have not shipped."));
      const { events } = yield* play({
        ...base,
        model: scripted(
          ({ key }) => delegating(key, ["Cancel 7."]) ?? [ask("cancel_order", { order: 7 }), report("no")],
        ),
        tools: [...tools, delegate()],
        instructions: "Be honest.",
        rules: [shipped],
        reviewer: reviewer({ models: judge }),
      });
      expect(cancelled).toEqual([]);
      expect(ofType(events, "review:restarted").map(({ agent }) => agent)).toEqual(["agent/0:1#0~0/0"]);
      expect(shownTo(judge)).toContain("Only orders that have not shipped");
      expect(shownTo(judge)).toContain("Be honest.");
    }));

  it("cannot switch reviews off, nor a tool's mark: it can only ask for more", () =>
    run(function* () {
      const judge = judging(pass());
      const nested = instant("nested");
      const opens = defineTool({
        name: "opens",
        description: "Opens a pool.",
        parameters: z.object({}),
        *execute() {
          yield* agentPool({
            model: playing(ask("nested"), report()),
            tools: [nested],
            terminal: reportTool,
            orchestrate: parallel(["x"]),
            review: false,
            rules: [],
            reviewer: reviewer({ models: judging(pass()) }),
          });
          return "opened";
        },
      });
      const { events } = yield* play({
        ...base,
        model: playing(ask("opens"), report()),
        tools: [opens],
        review: true,
        reviewer: reviewer({ models: judge }),
      });
      expect(nested.asked).toHaveLength(1);
      expect(judge.requests).toHaveLength(2);
      expect(ofType(events, "review:passed").map(({ agent }) => agent)).toEqual([
        "agent/0",
        "agent/0:1#0~0/0",
      ]);
    }));

  it("has its tools reviewed that the pool around it calls consequential, whatever it calls them itself", () =>
    run(function* () {
      const inner = shop({ cancel: { consequential: false } });
      const judge = judging(breach("Not that one."));
      const opens = defineTool({
        name: "opens",
        description: "Opens a pool.",
        parameters: z.object({}),
        *execute() {
          yield* agentPool({
            model: playing(ask("get_order", { order: 7 }), ask("cancel_order", { order: 7 }), report()),
            tools: inner.tools,
            terminal: reportTool,
            orchestrate: parallel(["x"]),
            review: { tools: ["get_order"] },
          });
          return "opened";
        },
      });
      const { events } = yield* play({
        ...base,
        model: playing(ask("opens"), report()),
        tools: [opens, ...inner.tools],
        review: { tools: ["cancel_order"] },
        reviewer: reviewer({ models: judge }),
      });
      expect(inner.cancelled).toEqual([]);
      expect(
        ofType(events, "review:restarted").flatMap(({ calls }) => calls.map(({ tool }) => tool)),
      ).toEqual(["get_order", "cancel_order"]);
    }));

  it("may have a reviewer of its own beside the one around it: a step has to pass both", () =>
    run(function* () {
      const asked: string[] = [];
      for (const [outside, inside, ran] of [
        [pass(), pass(), 1],
        [breach("Outside says no."), pass(), 0],
        [pass(), breach("Inside says no."), 0],
      ] as const) {
        const nested = instant("nested");
        const opens = defineTool({
          name: "opens",
          description: "Opens a pool.",
          parameters: z.object({}),
          *execute() {
            yield* agentPool({
              model: playing(ask("nested"), report()),
              tools: [nested],
              terminal: reportTool,
              orchestrate: parallel(["x"]),
              review: true,
              reviewer: reviewer({ models: judging(inside) }),
            });
            return "opened";
          },
        });
        const { events } = yield* play({
          ...base,
          model: playing(ask("opens"), report()),
          tools: [opens],
          review: { tools: [] },
          rules: [{ title: "Care", content: "Care.", when: "now", review: true }],
          reviewer: reviewer({
            models: {
              "review.rules": judging(applies(), applies("r1")),
              "review.tools": judging(outside),
            },
          }),
        });
        expect(nested.asked).toHaveLength(ran);
        asked.push(
          ofType(events, "turn:restarted")
            .map(({ reasoning }) => reasoning)
            .join(),
        );
      }
      expect(asked).toEqual(["", "Outside says no.", "Inside says no."]);
    }));

  it("may be tried harder than the pool around it, and not less: at min its reviews would be gone", () =>
    run(function* () {
      const { tools } = shop();
      let effort: Effort = "high";
      const opens = defineTool({
        name: "opens",
        description: "Opens a pool.",
        parameters: z.object({}),
        *execute() {
          yield* agentPool({
            model: playing(ask("cancel_order", { order: 1 }), report()),
            tools,
            terminal: reportTool,
            orchestrate: parallel(["x"]),
            effort,
          });
          return "opened";
        },
      });
      for (const [own, tried] of [
        ["high", "high"],
        ["min", "low"],
      ] as const) {
        effort = own;
        const { events } = yield* play({
          ...base,
          model: playing(ask("opens"), report()),
          tools: [opens],
          effort: "low",
          review: true,
          reviewer: reviewer({ models: judging(pass()) }),
        });
        expect(ofType(events, "review:started").map(({ effort }) => effort)).toEqual(["low", tried]);
      }
    }));

  it("that starts from its caller's conversation is judged with what its caller has read", () =>
    run(function* () {
      const { tools } = shop({ status: "shipped yesterday" });
      const judge = judging(pass());
      yield* play({
        ...base,
        model: scripted(({ key }) =>
          key.includes("~")
            ? [ask("cancel_order", { order: 7 }), report()]
            : [ask("get_order", { order: 7 }), ask("delegate", { tasks: ["Cancel 7."] }), report()],
        ),
        tools: [...tools, delegate()],
        reviewer: reviewer({ models: judge }),
      });
      expect(shownTo(judge)).toContain("shipped yesterday");
    }));
});

describe("reviews work", () => {
  it("in runPool, for code that awaits", async () => {
    const { tools, cancelled } = shop();
    const judge = judging(breach("It has shipped."));
    const pool = runPool({
      ...base,
      model: playing(ask("cancel_order", { order: 1 }), report("shipped")),
      tools,
      reviewer: reviewer({ models: judge }),
      onEvent: () => {},
    });
    const seen: string[] = [];
    for await (const { type } of pool) if (type.startsWith("review:")) seen.push(type);
    expect((await pool).agents[0]!.result).toBe("shipped");
    expect(seen).toEqual(["review:started", "review:restarted"]);
    expect(cancelled).toEqual([]);
  });

  it("in useAgent, a pool of one", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const result = yield* useAgent({
        model: playing(ask("cancel_order", { order: 1 }), report("shipped")),
        task: "Cancel it.",
        tools,
        terminal: reportTool,
        reviewer: reviewer({ models: judging(breach("It has shipped.")) }),
      });
      expect(result.result).toBe("shipped");
      expect(cancelled).toEqual([]);
    }));

  it("for many agents side by side, each with reviews of its own", () =>
    run(function* () {
      const { tools, cancelled } = shop();
      const judge = scripted(({ key, task }) => {
        expect(key).toMatch(/^agent\/\d+\/review$/);
        return [task.includes("3") ? breach("Not 3.") : pass()];
      });
      const { events } = yield* play({
        ...base,
        orchestrate: parallel(["1", "2", "3", "4"]),
        model: scripted(({ task }) => [ask("cancel_order", { order: Number(task) }), report(task)]),
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(cancelled.sort()).toEqual([1, 2, 4]);
      expect(reviewsIn(events).filter(({ type }) => type === "review:restarted")).toMatchObject([
        { agent: "agent/2" },
      ]);
    }));

  it("with values that no model may see: the reviewer reads placeholders, and its words come back with the values", () =>
    run(function* () {
      const mail = instant("mail");
      const judge = judging(breach("I write to [EMAIL_1] later."), pass());
      const model = playing(
        ask("mail", { q: "[EMAIL_1]" }),
        ask("mail", { q: "to [EMAIL_1], later" }),
        report(),
      );
      const { events } = yield* play({
        ...base,
        orchestrate: parallel(["Write to ann@example.com."]),
        model,
        tools: [mail],
        review: true,
        redact: {},
        reviewer: reviewer({ models: judge }),
      });
      for (const { messages } of [...judge.requests, ...model.requests])
        expect(textOf(messages)).not.toContain("ann@example.com");
      expect(shownTo(judge, 0)).toContain("[EMAIL_1]");
      expect(ofType(events, "review:restarted")).toMatchObject([
        {
          adjustedReasoning: "I write to ann@example.com later.",
          calls: [{ args: { q: "ann@example.com" } }],
        },
      ]);
      expect(mail.asked).toEqual(["to ann@example.com, later"]);
    }));

  it("for agents with models of their own, and with tasks' own instructions", () =>
    run(function* () {
      const { tools } = shop();
      const judge = judging(pass());
      yield* play({
        terminal: reportTool,
        orchestrate: parallel([
          { task: "Cancel it.", model: casting({ "0": [ask("cancel_order", { order: 1 }), report()] }) },
        ]),
        model: playing(),
        system: "A shop.",
        tools,
        reviewer: reviewer({ models: judge }),
      });
      expect(shownTo(judge)).toContain("Cancel it.");
    }));
});

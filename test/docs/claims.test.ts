import {
  AnswerError,
  agentPool,
  ConfigurationError,
  defineTool,
  delegate,
  type GuardFunction,
  parallel,
  reportTool,
  requireApproval,
  useAgent,
  useAgentPool,
} from "@agentpool/core";
import { type ScriptedTurn, scripted } from "@agentpool/models";
import { each, run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";

// What pages say in words, and no program on them shows.

const ask = (tool: string, args: Record<string, unknown> = {}): ScriptedTurn => ({ calls: [{ tool, args }] });
const report = (result = "done"): ScriptedTurn => ask("report", { result });
const playing = (...turns: readonly ScriptedTurn[]) => scripted(() => turns);

const write = (executed: unknown[] = []) =>
  defineTool({
    name: "write",
    description: "Writes.",
    parameters: z.object({ to: z.string() }),
    execute: ({ to }) => {
      executed.push(to);
      return `written to ${to}`;
    },
  });

describe("redact.md", () => {
  it("placeholders are real values again before guards, people, tools and events see a call", async () => {
    const seen: string[] = [];
    const executed: unknown[] = [];
    const policy: GuardFunction = ({ tool, args }) => {
      if (tool !== "write") return undefined;
      seen.push(`guard ${args.to}`);
      return requireApproval("somebody is written to");
    };
    await run(function* () {
      const pool = yield* useAgentPool({
        model: playing(ask("write", { to: "[EMAIL_1]" }), report("wrote to [EMAIL_1]")),
        tools: [write(executed)],
        terminal: reportTool,
        orchestrate: parallel(["Write to ann@example.com."]),
        policy,
        redact: {},
      });
      for (const event of yield* each(pool.events)) {
        if (event.type === "approval:requested") {
          seen.push(`person ${event.approval.args.to}`);
          pool.approvals.approve(event.approval.id);
        }
        if (event.type === "call:dispatched") seen.push(`event ${event.args.to}`);
        yield* each.next();
      }
      expect((yield* pool.result).agents[0]?.result).toBe("wrote to ann@example.com");
    });
    expect(seen).toEqual(["guard ann@example.com", "person ann@example.com", "event ann@example.com"]);
    expect(executed).toEqual(["ann@example.com"]);
  });

  it("a value keeps its placeholder in every agent, in pools inside of calls too, and is recorded once", async () => {
    const recorded: string[] = [];
    const model = scripted(({ key }) =>
      key === "agent/0"
        ? [ask("delegate", { tasks: ["Write to [EMAIL_1] and bob@example.com."] }), report()]
        : [report()],
    );
    await run(() =>
      useAgent({
        model,
        task: "Write to ann@example.com.",
        tools: [write(), delegate()],
        terminal: reportTool,
        redact: { record: ({ placeholder, value }) => recorded.push(`${placeholder} ${value}`) },
      }),
    );
    const nested = JSON.stringify(model.requestsOf("agent/0:1#0~0/0").at(-1)?.messages);
    expect(nested).toContain("Write to [EMAIL_1] and [EMAIL_2].");
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain("ann@example.com");
    expect(recorded).toEqual(["[EMAIL_1] ann@example.com", "[EMAIL_2] bob@example.com"]);
  });
});

describe("client-tools.md", () => {
  it("a result for a call that has one, or for no call, is an error that says which", async () => {
    const problems: string[] = [];
    await run(function* () {
      const pool = yield* useAgentPool({
        model: playing(ask("pick"), report()),
        tools: [
          defineTool({
            name: "pick",
            description: "Lets the user pick.",
            parameters: z.object({}),
            target: "client",
            execute: () => expect.unreachable("it runs elsewhere"),
          }),
        ],
        terminal: reportTool,
        orchestrate: parallel(["Pick."]),
      });
      const submit = (id: string) => {
        try {
          pool.submit({ [id]: "red" });
        } catch (error) {
          problems.push((error as AnswerError).problem);
          expect(error).toBeInstanceOf(AnswerError);
        }
      };
      for (const event of yield* each(pool.events)) {
        if (event.type === "call:parked") for (const id of ["nobody", event.call, event.call]) submit(id);
        yield* each.next();
      }
      expect((yield* pool.result).agents[0]?.attendedCount).toBe(1);
    });
    expect(problems).toEqual(["unknown", "answered"]);
  });
});

describe("watch-and-steer.md", () => {
  it("an agent that is about to end in plain text hears first who spoke to it", async () => {
    const model = playing({ text: "It is 41." }, { text: "It is 42." });
    await run(function* () {
      const pool = yield* useAgentPool({
        model,
        orchestrate: parallel(["What is it?"]),
        onEvent: (event) => {
          if (event.type === "turn:completed" && event.turn === 1) pool.steer("agent/0", "Add one.");
        },
      });
      const { agents } = yield* pool.result;
      expect(agents[0]?.result).toBe("It is 42.");
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Add one.");
      expect(pool.steer("agent/0", "And now?")).toBe(false);
      expect(yield* pool.cancel("agent/0")).toBe(false);
      expect(() => pool.steer("agent/O", "Hello?")).toThrow('did you mean "agent/0"?');
    });
  });
});

describe("budgets.md", () => {
  it("dollars cannot be counted with a model whose price is not known", async () => {
    const pool = () =>
      agentPool({ model: playing(report()), orchestrate: parallel(["x"]), budget: { maxCost: 1 } });
    await expect(run(pool)).rejects.toThrow(ConfigurationError);
  });

  it("a limit of one tool refuses its calls, and no others", async () => {
    const executed: unknown[] = [];
    const { refusals, exit } = await run(() =>
      useAgent({
        model: playing({ calls: ["a", "b", "c"].map((to) => ({ tool: "write", args: { to } })) }, report()),
        task: "Write.",
        tools: [write(executed)],
        terminal: reportTool,
        budget: { maxCallsPerTool: { write: 2 } },
      }),
    );
    expect(executed).toEqual(["a", "b"]);
    expect(refusals.map(({ guard }) => guard)).toEqual(["limit"]);
    expect(exit).toBe("returned");
  });
});

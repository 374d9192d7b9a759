import { agentPool, defineTool, type PoolEvent, parallel, reportTool } from "@agentpool/core";
import { run, spawn } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { resolveModel } from "./resolve-model.ts";
import { messageEvents, refused, streamed, useWire, type Wire } from "./wire.testing.ts";

const search = defineTool({
  name: "search",
  description: "Searches.",
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => ({ hits: [q] }),
});

const searching = streamed(
  messageEvents({ calls: [{ id: "a", tool: "search", input: '{"q":"x"}' }], finish: "tool_use" }),
);
const reporting = streamed(
  messageEvents({ calls: [{ id: "b", tool: "report", input: '{"result":"done"}' }], finish: "tool_use" }),
);

const options = (wire: Wire, tasks: string[]) => ({
  model: resolveModel("anthropic/claude-haiku-4-5", {
    providers: { anthropic: { baseURL: wire.url } },
    env: { ANTHROPIC_API_KEY: "test-key" },
  }),
  system: "You research. ".repeat(20),
  tools: [search],
  terminal: reportTool,
  orchestrate: parallel(tasks),
});

describe("a pool on a provider's real client", () => {
  it("sends the same bytes for every agent up to its task, and turn after turn", () =>
    run(function* () {
      const wire = yield* useWire(searching, searching, reporting, reporting);
      const { agents } = yield* agentPool(options(wire, ["Task one.", "Task two."]));
      expect(agents.map(({ result, toolCallCount }) => [result, toolCallCount])).toEqual([
        ["done", 1],
        ["done", 1],
      ]);
      const shared = new Set(wire.received.map(({ body }) => body.slice(0, body.indexOf("Task "))));
      expect(shared.size).toBe(1);
      expect([...shared][0]).toContain("You research.");
      const one = wire.received.filter(({ body }) => body.includes("Task one.")).map(({ body }) => body);
      expect(one[1]!.indexOf("tool_use")).toBeGreaterThan(one[1]!.indexOf("Task one."));
    }));

  it("parks an agent for as long as a limit asks, and takes the turn up again", () =>
    run(function* () {
      const limited = refused(
        429,
        { type: "error", error: { type: "rate_limit_error", message: "slow" } },
        { "retry-after-ms": "5" },
      );
      const wire = yield* useWire(limited, reporting);
      const events: PoolEvent[] = [];
      const { agents } = yield* agentPool({
        ...options(wire, ["Task one."]),
        onEvent: (event) => events.push(event),
      });
      expect(agents[0]).toMatchObject({ result: "done", turns: 1, parks: 1 });
      expect(events.find(({ type }) => type === "model:limited")).toMatchObject({ afterMs: 5 });
    }));

  it("hangs up on every request when it is halted", () =>
    run(function* () {
      const wire = yield* useWire(...Array.from({ length: 3 }, () => ({ type: "hang" as const })));
      const waits = yield* wire.waits;
      const hangups = yield* wire.hangups;
      const pool = yield* spawn(() => agentPool(options(wire, ["Task one.", "Task two.", "Task three."])));
      for (let at = 0; at < 3; at++) yield* waits.next();
      yield* pool.halt();
      for (let at = 0; at < 3; at++) yield* hangups.next();
      expect(wire.received).toHaveLength(3);
    }));

  it("ends one agent whose provider fails, and keeps the others' results", () =>
    run(function* () {
      const wire = yield* useWire(
        refused(400, { type: "error", error: { type: "invalid_request_error", message: "bad request" } }),
        reporting,
      );
      const { agents } = yield* agentPool({ ...options(wire, ["Task one.", "Task two."]), recovery: "none" });
      expect(agents.map(({ exit }) => exit).sort()).toEqual(["model_error", "returned"]);
      expect(agents.find(({ exit }) => exit === "model_error")!.reason).toContain("400 bad request");
    }));
});

import { type Args, defineTool, type JournalEntry, type Tool, ToolRetryError } from "@agentpool/core";
import { type ScriptedMoment, scripted } from "@agentpool/models";
import { run, scoped } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, finish, textOf } from "../scenarios/support.ts";
import { pool, resume, takeUp } from "./support.ts";

const SECRET = "hunter22";
const HIDDEN = "[secret]";
const hide = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(SECRET, HIDDEN)) as T;

/** Makes the next call that was not answered yet, with the secret among its arguments. */
const next = ({ messages }: ScriptedMoment) => {
  const said = textOf(messages);
  const isOver = (tool: string): boolean =>
    said.includes(`${tool}: done`) || said.includes(`not known whether ${tool} ran`);
  const tool = ["send", "look", "busy"].find((name) => !isOver(name)) ?? "publish";
  return isOver("publish") ? { text: "publish: done" } : ask(tool, { token: SECRET });
};

function job(seen: Args[]) {
  const tool = (name: string, more: Partial<Tool> = {}): Tool =>
    defineTool({
      name,
      description: name,
      parameters: z.object({ token: z.string() }),
      execute(args) {
        seen.push(args);
        return `${name}: done`;
      },
      ...(more as object),
    });
  const busy = tool("busy", {
    execute(args, { attempt }) {
      seen.push(args);
      if (attempt === 0) throw new ToolRetryError("busy", 20);
      return "busy: done";
    },
  });
  return pool({
    model: scripted(() => next),
    tools: [tool("send"), tool("look", { idempotent: true }), busy],
    terminal: tool("publish"),
    budget: { maxTurns: 20 },
  });
}

const journal = { hidden: HIDDEN, asRecorded: hide };

describe("a call whose secret is not on record", () => {
  it("never runs with something else in its place, wherever its run was left: its agent makes it again", () =>
    run(function* () {
      const whole = yield* scoped(function* () {
        const rig = yield* takeUp(job([]), [], journal);
        yield* finish(rig);
        return hide(rig.journal.entries);
      });
      expect(JSON.stringify(whole)).toContain(HIDDEN);
      for (let length = 1; length < whole.length; length++) {
        const seen: Args[] = [];
        const { result, events } = yield* scoped(() => resume(job(seen), whole.slice(0, length), journal));
        expect(seen.every(({ token }) => token === SECRET)).toBe(true);
        expect(result.agents[0]?.result, `after entry ${length}`).toBe("publish: done");
        const asked = events.filter(({ type, past }) => type === "call:proposed" && !past);
        expect(asked.length).toBeLessThanOrEqual(5);
      }
    }));

  it("is told so, and is no call that was made", () =>
    run(function* () {
      const recorded = yield* until(job([]), ({ type }) => type === "call:proposed");
      const { result, events } = yield* resume(job([]), recorded, journal);
      expect(events.find(({ type, past }) => type === "call:refused" && !past)).toMatchObject({
        call: "agent/0:1#0",
        guard: "invalid",
        message: expect.stringContaining("a secret was not kept"),
      });
      expect(result.totals).toMatchObject({ toolCalls: 3, refusals: 1 });
    }));

  it("runs where nothing is kept out of the record, whatever its arguments look like", () =>
    run(function* () {
      const recorded = yield* until(job([]), ({ type }) => type === "call:proposed");
      const seen: Args[] = [];
      yield* resume(job(seen), recorded);
      expect(seen[0]).toEqual({ token: HIDDEN });
    }));
});

/** What is on record of a run, up to its first entry of a kind. */
function* until(options: ReturnType<typeof pool>, isLast: (entry: JournalEntry) => boolean) {
  return yield* scoped(function* () {
    const rig = yield* takeUp(options, [], journal);
    yield* finish(rig);
    const entries = hide(rig.journal.entries);
    return entries.slice(0, entries.findIndex(isLast) + 1);
  });
}

import { agentPool, defineTool, parallel, type Tool } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, scoped, spawn, withResolvers } from "effection";
import { expect, test } from "vitest";
import { z } from "zod";
import { type ApprovalView, DecisionError, openStore, type RunJournal, type Store } from "../src/index.ts";
import { onEveryEngine } from "./places.ts";
import { caught, flushed, started } from "./support.ts";

const send = defineTool({
  name: "send",
  description: "Sends a letter.",
  parameters: z.object({ to: z.string() }),
  execute: ({ to }) => `sent to ${to}`,
});

const SECRET_PLACE = "https://ada:hunter22@host/";

/** The same, with a note of what it was called with. */
const sendingTo = (sent: string[]): Tool =>
  defineTool({
    name: "send",
    description: "Sends a letter.",
    parameters: z.object({ to: z.string() }),
    execute({ to }) {
      sent.push(to);
      return `sent to ${to}`;
    },
  });

/** A run that sends a letter once a person lets it; `asked` is told when the call waits. */
function* sending(journal: RunJournal, asked: () => void = () => {}, to = "ada", tool: Tool = send) {
  if (journal.history.length === 0) journal.note(started("r1"));
  return yield* agentPool({
    run: "r1",
    journal,
    model: scripted(() => ({ messages }) => {
      const last = messages.at(-1)!;
      const isToSend = last.role !== "tool" || JSON.stringify(last).includes("a secret was not kept");
      return isToSend ? { calls: [{ tool: "send", args: { to } }] } : { text: "Done." };
    }),
    tools: [tool],
    requireApproval: ["send"],
    orchestrate: parallel(["write"]),
    onEvent(event) {
      if (event.type === "approval:requested" && !event.past) asked();
    },
  });
}

/** A run that sends two letters: `asked` is told when both calls wait, `decided` when one of them does no more. */
function* sendingTwo(journal: RunJournal, asked: () => void, decided: () => void = () => {}) {
  if (journal.history.length === 0) journal.note(started("r1"));
  const calls = ["ada", "bob"].map((to) => ({ tool: "send", args: { to } }));
  let open = 0;
  return yield* agentPool({
    run: "r1",
    journal,
    model: scripted(() => [{ calls }, { text: "Done." }]),
    tools: [send],
    requireApproval: ["send"],
    orchestrate: parallel(["write"]),
    onEvent({ type, past }) {
      if (past) return;
      if (type === "approval:requested" && ++open === 2) asked();
      if (type === "approval:decided") decided();
    },
  });
}

onEveryEngine((usePlace) => {
  test("a decision from another process reaches a call that waits, and is on record", () =>
    run(function* () {
      const place = yield* usePlace();
      const store = yield* openStore(place);
      const other = yield* openStore(place);
      const waits = withResolvers<void>();
      const journal = yield* store.journal("r1");
      const pool = yield* spawn(() => sending(journal, waits.resolve));
      yield* waits.operation;
      yield* flushed(journal);
      const [approval] = yield* other.approvals.list({ open: true });
      expect(approval).toMatchObject({ run: "r1", tool: "send", args: { to: "ada" }, state: "open" });
      yield* other.approvals.approve(approval!.id, { by: "ada" });
      expect((yield* pool).agents[0]).toMatchObject({ toolCallCount: 1 });
      yield* flushed(journal);
      expect(yield* other.approvals.list({ open: true })).toEqual([]);
      expect((yield* other.show("r1")).approvals).toMatchObject([{ state: "approved", decidedBy: "ada" }]);
    }));

  test("a call whose arguments hold a secret is decided by what is on record, and runs with the secret", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      const sent: string[] = [];
      const asked = withResolvers<void>();
      const journal = yield* store.journal("r1");
      const pool = yield* spawn(() => sending(journal, asked.resolve, SECRET_PLACE, sendingTo(sent)));
      yield* asked.operation;
      yield* flushed(journal);
      const [approval] = yield* store.approvals.list();
      expect(approval!.args).toEqual({ to: "https://ada:[secret]@host/" });
      yield* store.approvals.approve(approval!.id);
      expect((yield* pool).agents[0]).toMatchObject({ toolCallCount: 1 });
      expect(sent).toEqual([SECRET_PLACE]);
    }));

  test("one that was left with its run never runs without the secret: its approval is void, and a person is asked about the next", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* recordedAndLeft(store, SECRET_PLACE);
      const [approval] = yield* store.approvals.list();
      yield* store.approvals.approve(approval!.id);
      const sent: string[] = [];
      yield* scoped(function* () {
        const journal = yield* store.journal("r1");
        const asked = withResolvers<void>();
        const pool = yield* spawn(() => sending(journal, asked.resolve, SECRET_PLACE, sendingTo(sent)));
        yield* asked.operation;
        yield* flushed(journal);
        expect(sent).toEqual([]);
        const [again] = yield* store.approvals.list({ open: true });
        yield* store.approvals.approve(again!.id);
        expect((yield* pool).agents[0]).toMatchObject({ toolCallCount: 1 });
      });
      expect(sent).toEqual([SECRET_PLACE]);
      expect((yield* store.approvals.list()).map(({ id, state }) => [id === approval!.id, state])).toEqual([
        [true, "void"],
        [false, "approved"],
      ]);
    }));

  test("one whose arguments changed is asked about anew", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* recordedAndLeft(store);
      const [approval] = yield* store.approvals.list();
      yield* store.approvals.approve(approval!.id);
      const copying = defineTool({
        ...send,
        parameters: z.object({ to: z.string(), copy: z.boolean().default(true) }),
        execute: ({ to }) => `sent to ${to}`,
      });
      yield* scoped(function* () {
        const journal = yield* store.journal("r1", { force: true });
        const waits = withResolvers<void>();
        yield* spawn(() => sending(journal, waits.resolve, undefined, copying));
        yield* waits.operation;
        yield* flushed(journal);
      });
      expect((yield* store.approvals.list()).map(({ id, state }) => [id === approval!.id, state])).toEqual([
        [true, "void"],
        [false, "open"],
      ]);
    }));

  test("A4: decisions accumulate: of two calls one is decided while its run waits, the other days later, from other processes", () =>
    run(function* () {
      const place = yield* usePlace();
      const days = { now: () => Date.now() + 3 * 86_400_000 };
      const [store, other, later] = [
        yield* openStore(place),
        yield* openStore(place),
        yield* openStore(place, days),
      ];
      const byAddressee = (to: string, approvals: readonly ApprovalView[]) =>
        approvals.find(({ args }) => (args as { to: string }).to === to)!.id;
      yield* scoped(function* () {
        const journal = yield* store.journal("r1");
        const [waits, heard] = [withResolvers<void>(), withResolvers<void>()];
        yield* spawn(() => sendingTwo(journal, waits.resolve, heard.resolve));
        yield* waits.operation;
        yield* flushed(journal);
        const open = yield* other.approvals.list({ open: true });
        expect(open).toHaveLength(2);
        yield* other.approvals.deny(byAddressee("bob", open), { reason: "not bob" });
        yield* heard.operation;
        yield* flushed(journal);
        journal.seal();
      });
      const [left, ...more] = yield* later.approvals.list({ open: true });
      expect([left!.args, more.length]).toEqual([{ to: "ada" }, 0]);
      yield* later.approvals.approve(left!.id);
      yield* scoped(function* () {
        const again: string[] = [];
        const journal = yield* store.journal("r1");
        yield* sendingTwo(journal, () => again.push("asked"));
        expect(again).toEqual([]);
      });
      const { agentViews } = yield* store.show("r1");
      expect(
        agentViews[0]!.turns[0]!.calls.map((call) => [call.call, call.type, "result" in call && call.result]),
      ).toEqual([
        ["agent/0:1#0", "call", "sent to ada"],
        ["agent/0:1#1", "refused", false],
      ]);
    }));

  test("of many who decide at once one does; the others are told what stands", () =>
    run(function* () {
      const place = yield* usePlace();
      const stores = [yield* openStore(place), yield* openStore(place), yield* openStore(place)];
      const [store] = stores;
      yield* recordedAndLeft(store!);
      const [approval] = yield* store!.approvals.list();
      const tasks = [];
      for (const [index, { approvals }] of stores.entries())
        tasks.push(
          yield* spawn(function* () {
            try {
              yield* scoped(() =>
                index === 1
                  ? approvals.deny(approval!.id, { reason: "no", by: "b" })
                  : approvals.approve(approval!.id, { by: "a" }),
              );
              return "made it";
            } catch (error) {
              expect(error).toBeInstanceOf(DecisionError);
              return (error as DecisionError).problem;
            }
          }),
        );
      const outcomes = [];
      for (const task of tasks) outcomes.push(yield* task);
      expect(outcomes.filter((outcome) => outcome === "made it")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "decided")).toHaveLength(2);
    }));

  test("a decision made while no process has the run is found when its call waits again", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* recordedAndLeft(store);
      const [approval] = yield* store.approvals.list();
      yield* store.approvals.deny(approval!.id.slice(0, 6), { reason: "not today" });
      const journal = yield* store.journal("r1");
      const { agents } = yield* scoped(() => sending(journal));
      expect(agents[0]?.refusals).toMatchObject([
        { guard: "approval", message: expect.stringContaining("not today") },
      ]);
    }));

  test("what cannot be decided says why", () =>
    run(function* () {
      const store = yield* openStore(yield* usePlace());
      yield* recordedAndLeft(store);
      const [approval] = yield* store.approvals.list();
      expect(yield* caught(store.approvals.approve("nothing"))).toMatchObject({ problem: "unknown" });
      yield* store.approvals.deny(approval!.id, { by: "ada" });
      const late = yield* caught(store.approvals.approve(approval!.id));
      expect(late).toMatchObject({ problem: "decided" });
      expect(late.message).toMatch(/was denied before by ada, at .*; the first decision stands\./);
    }));
});

/** A run whose process left while its call waited. */
const recordedAndLeft = (store: Store, to?: string) =>
  scoped(function* () {
    const journal = yield* store.journal("r1");
    const waits = withResolvers<void>();
    yield* spawn(() => sending(journal, waits.resolve, to));
    yield* waits.operation;
    yield* flushed(journal);
    journal.seal();
  });

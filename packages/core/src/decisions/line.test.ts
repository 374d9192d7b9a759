import { describe, expect, it } from "vitest";
import { CallArgs, type Key } from "./call-args.ts";
import { createLife } from "./life.ts";
import { type Holder, Line } from "./line.ts";
import { Lineage } from "./lineage.ts";
import { Snapshot, standing, type View } from "./view.ts";
import { waitsForItself } from "./waiting.ts";

const READ = "local:read";
const byK: Key = { identity: READ, slot: 0, compute: ({ k }) => String(k) };
const args = (k: string) => new CallArgs({ k });
const holder = (under: Holder["under"] = []): Holder => ({ life: createLife(), under, tickets: new Set() });

function lineOf(): Line {
  const line = new Line();
  line.register(byK);
  return line;
}

const viewOf = (line: Line, who: Holder, ticket?: View["ticket"]): View => ({
  lineage: Lineage.empty(),
  cohort: Lineage.empty(),
  line,
  holder: who,
  ticket,
});

describe("the line", () => {
  it("puts an equal call behind the one before it, and only an earlier one", () => {
    const line = lineOf();
    const [a, b] = [holder(), holder()];
    const first = line.take(a, READ, args("x"));
    const second = line.take(b, READ, args("x"));
    expect(standing(viewOf(line, b, second), "cohort", byK, "x")).toEqual({ type: "behind", ticket: first });
    expect(standing(viewOf(line, a, first), "cohort", byK, "x")).toEqual({ type: "free" });
  });

  it("lets others pass where the guard looks at the agent's own calls", () => {
    const line = lineOf();
    line.take(holder(), READ, args("x"));
    const b = holder();
    expect(standing(viewOf(line, b, line.take(b, READ, args("x"))), "lineage", byK, "x").type).toBe("free");
  });

  it("counts a success as read until it leaves, and a failure for nothing", () => {
    const line = lineOf();
    const [a, b] = [holder(), holder()];
    const first = line.take(a, READ, args("x"));
    const second = line.take(b, READ, args("x"));
    line.succeed(first);
    expect(standing(viewOf(line, b, second), "cohort", byK, "x").type).toBe("read");
    line.leave(first);
    expect(standing(viewOf(line, b, second), "cohort", byK, "x").type).toBe("free");
  });

  it("waits for the immediate predecessor of several", () => {
    const line = lineOf();
    const tickets = ["a", "b", "c"].map(() => line.take(holder(), READ, args("x")));
    const at = standing(viewOf(line, tickets[2]!.holder, tickets[2]), "cohort", byK, "x");
    expect(at).toEqual({ type: "behind", ticket: tickets[1] });
  });

  it("refuses at once what repeats a call it runs under", () => {
    const line = lineOf();
    const caller = line.take(holder(), READ, args("x"));
    const nested = holder([caller]);
    expect(standing(viewOf(line, nested), "lineage", byK, "x").type).toBe("read");
  });

  it("queues calls that were in line before a key was registered", () => {
    const line = new Line();
    const first = line.take(holder(), READ, args("x"));
    line.register(byK);
    expect(line.equal(byK, "x")).toEqual([first]);
  });

  it("wakes who waits when a ticket settles, but nobody who is closing", () => {
    const line = lineOf();
    const first = line.take(holder(), READ, args("x"));
    const woken: string[] = [];
    const closing = createLife();
    closing.closing = true;
    first.waiters = new Set([
      { life: createLife(), wake: () => woken.push("live") },
      { life: createLife(closing), wake: () => woken.push("closing") },
    ]);
    line.leave(first);
    expect(woken).toEqual(["live"]);
  });

  it("keeps nothing of calls that left", () => {
    const line = lineOf();
    const who = holder();
    const tickets = ["x", "y", "x"].map((k) => line.take(who, READ, args(k)));
    for (const ticket of tickets) line.leave(ticket);
    for (const ticket of tickets) line.leave(ticket);
    expect([line.size, who.tickets.size, line.equal(byK, "x").length]).toEqual([0, 0, 0]);
  });
});

describe("a snapshot", () => {
  it("is of the moment it was first looked at, whatever settles afterwards", () => {
    const line = lineOf();
    const b = holder();
    const first = line.take(holder(), READ, args("x"));
    const snapshot = new Snapshot(viewOf(line, b, line.take(b, READ, args("x"))), "cohort", READ);
    expect(snapshot.looked).toBe(false);
    expect(snapshot.attended()).toEqual([]);
    line.succeed(first);
    expect(snapshot.attended()).toEqual([]);
    expect(snapshot.foreseen()).toEqual([{ k: "x" }]);
    expect(snapshot.open()).toEqual([first]);
  });
});

describe("waiting for itself", () => {
  it("is found through a chain of delegation", () => {
    const line = lineOf();
    const [a, b] = [holder(), holder()];
    const callOfA = line.take(a, "local:delegate", args("1"));
    const callOfB = line.take(b, "local:delegate", args("2"));
    const [forA, forB] = [holder([callOfA]), holder([callOfB])];
    line.delegate(forA);
    const dismiss = line.delegate(forB);
    line.take(forB, "local:delegate", args("1")).behind = [callOfA];
    expect(waitsForItself(forA, [callOfB])).toBe(true);
    expect(waitsForItself(holder(), [callOfB])).toBe(false);
    dismiss();
    expect(waitsForItself(forA, [callOfB])).toBe(false);
  });
});

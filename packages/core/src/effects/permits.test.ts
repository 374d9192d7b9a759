import { describe, expect, it } from "vitest";
import { createLife } from "../decisions/life.ts";
import { Permits } from "./permits.ts";

const slot = () => ({ held: false });

describe("permits", () => {
  it("are given first come first served, and never more than there are", () => {
    const permits = new Permits(1);
    const [a, b, c] = [slot(), slot(), slot()];
    const woken: string[] = [];
    expect(permits.tryAcquire(a)).toBe(true);
    permits.enqueue(b, createLife(), () => woken.push("b"));
    permits.enqueue(c, createLife(), () => woken.push("c"));
    permits.release(a);
    expect([woken, permits.held, b.held, c.held]).toEqual([["b"], 1, true, false]);
    expect(permits.tryAcquire(slot())).toBe(false);
  });

  it("are not given to who is closing", () => {
    const permits = new Permits(1);
    const [a, b] = [slot(), slot()];
    permits.tryAcquire(a);
    const life = createLife();
    permits.enqueue(b, life, () => {});
    life.closing = true;
    permits.release(a);
    expect([permits.held, b.held]).toEqual([0, false]);
  });

  it("are free while only those who are closing wait, however long they take to leave", () => {
    const permits = new Permits(1);
    const [a, b, c, d] = [slot(), slot(), slot(), slot()];
    permits.tryAcquire(a);
    const life = createLife();
    const leave = permits.enqueue(b, life, () => {});
    life.closing = true;
    permits.release(a);
    expect(permits.tryAcquire(c)).toBe(true);
    permits.enqueue(d, createLife(), () => {});
    leave();
    permits.release(c);
    expect([b.held, d.held]).toEqual([false, true]);
  });

  it("are given back once, whoever gives them back how often", () => {
    const permits = new Permits(2);
    const a = slot();
    permits.tryAcquire(a);
    permits.release(a);
    permits.release(a);
    expect(permits.held).toBe(0);
  });

  it("wait while paused, and are given when that ends", () => {
    const permits = new Permits(1);
    const a = slot();
    permits.pause();
    expect(permits.tryAcquire(a)).toBe(false);
    permits.enqueue(a, createLife(), () => {});
    permits.resume();
    expect(a.held).toBe(true);
  });
});

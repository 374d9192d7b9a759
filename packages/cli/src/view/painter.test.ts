import { Terminal } from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Painter } from "./painter.ts";

/** A terminal, a painter on it, and what was written to it. */
function screen(columns = 40, rows = 8) {
  const terminal = new Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
  const writes: string[] = [];
  const painter = new Painter({
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write(text) {
      writes.push(text);
      terminal.write(text);
    },
  });
  const settled = () => new Promise<void>((resolve) => terminal.write("", resolve));
  const lines = (from: number) => {
    const { active } = terminal.buffer;
    const all = Array.from({ length: active.length - from }, (_, i) =>
      active.getLine(from + i)!.translateToString(true),
    );
    return all.slice(0, all.findLastIndex((line) => line !== "") + 1);
  };
  return {
    terminal,
    painter,
    writes,
    /** What a person types is echoed by the terminal. */
    type: (text: string) => terminal.write(text.replaceAll("\n", "\r\n")),
    /** All there is, with what has scrolled away. */
    async everything() {
      await settled();
      return lines(0);
    },
    async visible() {
      await settled();
      return lines(terminal.buffer.active.baseY);
    },
  };
}

const line = fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 1, maxLength: 30 });

describe("a block that is painted", () => {
  it("is all that is on the terminal, below what came before and what was written above it", async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant("draw" as const), lines: fc.array(line, { maxLength: 6 }) }),
      fc.record({
        type: fc.constant("above" as const),
        lines: fc.array(line, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ type: fc.constant("enter" as const), lines: fc.array(line, { maxLength: 6 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.array(step, { maxLength: 30 }),
        async (before, steps) => {
          const { painter, type, everything, terminal } = screen();
          for (const text of before) type(`${text}\n`);
          const history = [...before];
          let block: readonly string[] = [];
          for (const { type: what, lines } of steps) {
            if (what === "above") {
              painter.above(`${lines.join("\n")}\n`);
              history.push(...lines);
              continue;
            }
            if (what === "enter") {
              if (block.length === 0) continue;
              type("y\n");
              painter.wentDown();
            }
            painter.draw(lines);
            block = lines;
          }
          expect(await everything()).toEqual([...history, ...block]);
          const { cursorX, cursorY, baseY } = terminal.buffer.active;
          expect([cursorX, cursorY + baseY]).toEqual([0, history.length + block.length]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("is whole, once, on a screen of another size", async () => {
    const size = fc.record({
      columns: fc.integer({ min: 5, max: 60 }),
      rows: fc.integer({ min: 2, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 6 }), fc.nat(20), async (sizes, before) => {
        const { painter, type, visible, terminal } = screen(40, 12);
        type("before\n".repeat(before));
        const drawn = () => {
          const lines = Array.from({ length: terminal.rows - 1 }, (_, i) =>
            `${i} ${"x".repeat(99)}`.slice(0, terminal.cols - 1),
          );
          painter.draw(lines);
          return lines;
        };
        drawn();
        for (const { columns, rows } of sizes) {
          terminal.resize(columns, rows);
          const lines = drawn();
          expect((await visible()).filter((text) => text !== "before")).toEqual(lines);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("costs what has changed of it, and nothing where nothing has", () => {
    const { painter, writes } = screen(100, 50);
    const rows = Array.from({ length: 45 }, (_, i) => `agent ${i} ${"does something ".repeat(4)}`);
    painter.draw(rows);
    writes.length = 0;
    painter.draw([...rows]);
    expect(writes).toEqual([]);
    painter.draw(rows.with(20, "agent 20 is done"));
    expect(writes).toHaveLength(1);
    expect(writes[0]!.length).toBeLessThan(100);
  });

  it("leaves the terminal as it was after every write, so that the process may end at any", async () => {
    const { painter, writes, terminal, visible } = screen();
    painter.draw(["one", "two"]);
    painter.draw(["one", "three"]);
    painter.above("said\n");
    painter.draw(["one"]);
    await visible();
    expect(writes).toHaveLength(4);
    for (const write of writes) {
      const modes = new Map([...write.matchAll(/\[\?(\d+)([hl])/g)].map(([, mode, on]) => [mode, on]));
      expect(Object.fromEntries(modes)).toEqual({ 2026: "l", 25: "h", 7: "h" });
    }
    expect(terminal.modes.wraparoundMode).toBe(true);
  });

  it("leaves what a person types below it where it is", async () => {
    const { painter, type, visible } = screen();
    painter.draw(["one", "Approve?"]);
    type("may");
    painter.draw(["two", "Approve?"]);
    type("be");
    expect(await visible()).toEqual(["two", "Approve?", "maybe"]);
  });

  it("begins anew below what a shell has written meanwhile", async () => {
    const { painter, type, everything } = screen();
    painter.draw(["one", "two"]);
    type("^Z\n[1]+ Stopped\n$ fg\n");
    painter.leave();
    painter.draw(["three"]);
    expect(await everything()).toEqual(["one", "two", "^Z", "[1]+ Stopped", "$ fg", "three"]);
  });

  it("does not wrap where a terminal takes its text for wider than it is", async () => {
    const { painter, visible } = screen(10, 8);
    painter.draw(["a".repeat(14), "b"]);
    painter.draw(["a".repeat(15), "c"]);
    expect((await visible()).at(-1)).toBe("c");
    expect(await visible()).toHaveLength(2);
  });
});

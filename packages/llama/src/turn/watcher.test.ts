import { describe, expect, it } from "vitest";
import { Trimmed } from "./trimmed.ts";
import { Watcher } from "./watcher.ts";

describe("a watcher", () => {
  it("lets through what cannot become what it watches for, and holds back the rest", () => {
    const watcher = new Watcher([["<tool_call>", "call"]]);
    expect(watcher.take("a < b <to")).toEqual({ text: "a < b " });
    expect(watcher.take("y>")).toEqual({ text: "<toy>" });
    expect(watcher.take("x<tool_")).toEqual({ text: "x" });
    expect(watcher.rest()).toBe("<tool_");
  });

  it("finds what it watches for in pieces, and says where it starts", () => {
    const watcher = new Watcher([["<tool_call>", "call"]]);
    watcher.take("so: <tool");
    expect(watcher.take("_call>{")).toEqual({ text: "", found: { what: "call", from: 4 } });
  });

  it("finds the one that comes first", () => {
    const watcher = new Watcher([
      ["###", "stop"],
      ["||call: ", "call"],
    ]);
    expect(watcher.take("x||call: y###").found).toEqual({ what: "call", from: 1 });
  });

  it("watches for nothing where a text is empty", () => {
    expect(new Watcher([["", "stop"]]).take("text")).toEqual({ text: "text" });
  });
});

it("a trimmed text has no white space around it, and its pieces add up to it", () => {
  const trimmed = new Trimmed();
  const pieces = [" \n", " Two ", " ", "words", ". ", "\n"].map((piece) => trimmed.add(piece));
  expect(pieces).toEqual(["", "Two", "", "  words", ".", ""]);
  expect(trimmed.text).toBe("Two  words.");
  expect(pieces.join("")).toBe(trimmed.text);
});

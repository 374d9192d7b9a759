import { describe, expect, it } from "vitest";
import { readCommand } from "./options.ts";

const rows = [1, 2, 3];
const optionsOf = (...args: string[]) => {
  const command = readCommand(args, rows);
  if (command.type !== "measure") throw new Error(`not a measurement: ${command.type}`);
  return command.options;
};
const complaint = (...args: string[]) => {
  const command = readCommand(args, rows);
  return command.type === "wrong" ? command.message : undefined;
};

describe("the bench's command line", () => {
  it("measures everything where nothing is said", () => {
    expect(optionsOf()).toEqual({ only: rows, quick: false, json: false, data: undefined });
  });

  it("measures the rows that are named, once each and in order", () => {
    expect(optionsOf("--only", "3, 1,3").only).toEqual([1, 3]);
  });

  it("names a row that there is not, and those there are", () => {
    expect(complaint("--only", "1,7")).toBe('--only: found "7"; accepted are rows 1, 2, 3.');
    expect(complaint("--only", "")).toMatch(/found ""/);
  });

  it("names an option that there is not", () => {
    expect(complaint("--fast")).toMatch(/--fast/);
  });

  it("explains itself before it measures anything", () => {
    expect(readCommand(["--quick", "--help"], rows)).toEqual({ type: "help" });
  });
});

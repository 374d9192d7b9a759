import type { PoolEvent } from "@agentpool/core";
import { until } from "effection";
import { expect, it } from "vitest";
import type { Output } from "./output.ts";
import { paletteFor } from "./palette.ts";
import { plainProgress } from "./plain-progress.ts";

const starts = (agent: string, at: number, past?: true): PoolEvent => ({
  ...{
    type: "agent:spawned",
    run: "r",
    at,
    agent,
    task: `task of ${agent}`,
    parent: undefined,
    depth: 0,
    pool: "p",
  },
  ...(past ? { past } : {}),
});

it("tells how long a run was worked on: time between two processes is nobody's", () => {
  const written: string[] = [];
  const output: Output = {
    write: (text) => void written.push(text),
    flush: () => until(Promise.resolve(undefined)),
  };
  const progress = plainProgress(output, paletteFor({}, {}));
  progress.observe(starts("a", 1_000, true));
  progress.observe(starts("b", 3_000, true));
  progress.observe(starts("c", 3_600_000));
  progress.observe(starts("d", 3_601_000));
  expect(written.map((line) => line.trim().split(" starts")[0])).toEqual([
    "0.0 s  a",
    "2.0 s  b",
    "2.0 s  c",
    "3.0 s  d",
  ]);
});

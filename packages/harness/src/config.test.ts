import { run, scoped, sleep, spawn } from "effection";
import { expect, it } from "vitest";
import { config, useConfig, withConfig } from "./config.ts";
import { folderWith } from "./folder-with.testing.ts";
import { loadHarness } from "./load-harness.ts";

const configured = (model: string) =>
  loadHarness({ cwd: folderWith({ "harness.yml": `model: ${model}` }) }).config;

it("gives the configuration in the run, in what it spawns, and nowhere else", async () => {
  const seen = await run(() =>
    withConfig(configured("one"), function* () {
      const child = yield* spawn(function* () {
        yield* sleep(0);
        return [config().model, (yield* useConfig()).model];
      });
      return [config().model, ...(yield* child)];
    }),
  );
  expect(seen).toEqual(["one", "one", "one"]);
  expect(() => config()).toThrow("no harness is running");
});

it("keeps two harnesses of one process apart, and never answers with the wrong one", async () => {
  const job = (model: string) =>
    run(() =>
      withConfig(configured(model), function* () {
        const spawned = yield* spawn(function* () {
          yield* sleep(1);
          const own = (yield* useConfig()).model;
          try {
            return [own, config().model];
          } catch (error) {
            return [own, (error as Error).message];
          }
        });
        const here = [config().model];
        yield* sleep(1);
        here.push(config().model);
        const inner = yield* scoped(function* () {
          return config().model;
        });
        return { here: [...here, inner], spawned: yield* spawned };
      }),
    );
  const both = await Promise.all([job("one"), job("two")]);
  expect(both.map(({ here }) => here)).toEqual([
    ["one", "one", "one"],
    ["two", "two", "two"],
  ]);
  expect(both[0]!.spawned).toEqual(["one", expect.stringContaining("several harnesses run in this process")]);
});

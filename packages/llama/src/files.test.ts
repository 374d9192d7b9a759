import { run, until } from "effection";
import { expect, it } from "vitest";
import { noiseModel, small } from "../test/noise.ts";
import { Files } from "./files.ts";
import { openModel } from "./native/open-model.ts";
import { checkedSettings } from "./settings.ts";

/** Files whose native side says when it is opened and freed. */
function counted() {
  const log: string[] = [];
  const files = new Files(async (...given) => {
    log.push("opened");
    const opened = await openModel(...given);
    const close = opened.kernel.close.bind(opened.kernel);
    opened.kernel.close = async () => {
      log.push("freed");
      await close();
    };
    return opened;
  });
  return { files, log };
}

const path = noiseModel();
const settings = (more: object) => checkedSettings({ ...small, ...more });

it("models of one file that differ only in how they speak share it, and the last to go frees it", () =>
  run(function* () {
    const { files, log } = counted();
    const [cool, warm] = yield* until(
      Promise.all([
        files.claim(path, "cool", settings({ temperature: 0, maxTokens: 10 })),
        files.claim(path, "warm", settings({ temperature: 1, calls: "always" })),
      ]),
    );
    expect(log).toEqual(["opened"]);
    expect(warm.loaded.engine).toBe(cool.loaded.engine);
    expect(cool.loaded).toMatchObject({ name: "cool", settings: { maxTokens: 10 } });
    expect(warm.loaded).toMatchObject({ name: "warm", calls: "always" });
    yield* until(cool.release());
    yield* until(cool.release());
    expect(log).toEqual(["opened"]);
    yield* until(warm.release());
    expect(log).toEqual(["opened", "freed"]);
    expect(files.count).toBe(0);
  }));

it("models that need other sequences have a copy of their own", () =>
  run(function* () {
    const { files, log } = counted();
    const one = yield* until(files.claim(path, "one", settings({})));
    const other = yield* until(files.claim(path, "other", settings({ sequences: 2 })));
    expect(log).toEqual(["opened", "opened"]);
    yield* until(one.release());
    yield* until(other.release());
    expect(log.filter((what) => what === "freed")).toHaveLength(2);
  }));

it("a file that could not be loaded is tried again", async () => {
  let tries = 0;
  const files = new Files(async (...given) => {
    if (++tries === 1) throw new Error("busy");
    return openModel(...given);
  });
  await expect(files.claim(path, "x", settings({}))).rejects.toThrow("busy");
  expect(files.count).toBe(0);
  const claim = await files.claim(path, "x", settings({}));
  await claim.release();
});

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run, scoped, spawn, until, withResolvers } from "effection";
import { describe, expect, it, vi } from "vitest";
import { useMcpServers } from "../../src/index.ts";
import { callAll, folder, goneFrom, hostile, shopProgram, thrownBy } from "./support.ts";

describe("a server that is a program", () => {
  it("gets the environment that it is given, and nothing of this process' secrets", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "not for servers");
    try {
      await run(function* () {
        const cwd = folder();
        const { tools } = yield* useMcpServers([shopProgram({ env: { TOKEN: "abc" }, cwd })]);
        const { outcomes } = yield* callAll(tools, [["shop__environment"]]);
        const [first] = outcomes;
        const given = JSON.parse(first?.type === "ok" ? String(first.value) : "");
        expect(given).toMatchObject({ token: "abc", cwd });
        expect(given.names).toContain("PATH");
        expect(given.names).not.toContain("ANTHROPIC_API_KEY");
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("is told when a call is given up, and is there for the next", () =>
    run(function* () {
      const log = join(folder(), "log");
      const { tools } = yield* useMcpServers([shopProgram({ env: { SHOP_LOG: log } })]);
      const waits = withResolvers<void>();
      const calling = yield* spawn(() =>
        callAll(tools, [["shop__wait"]], {
          onEvent: (event) => {
            if (event.type === "call:dispatched") waits.resolve();
          },
        }),
      );
      yield* waits.operation;
      yield* until(seen(log, "wait"));
      yield* calling.halt();
      yield* until(seen(log, "cancelled"));
      const { outcomes } = yield* callAll(tools, [["shop__get_order", { order: 1 }]]);
      expect(outcomes).toEqual([{ type: "ok", value: "Order 1 has shipped." }]);
      // what was answered is not cancelled afterwards
      expect(readFileSync(log, "utf8")).toBe("wait\ncancelled\nget_order 1\n");
    }));

  it("that dies in the middle of a call fails that call, and is there again for the next", () =>
    run(function* () {
      const notices: string[] = [];
      const onNotice = (message: string) => void notices.push(message);
      const { tools } = yield* useMcpServers([shopProgram(), shopProgram({ name: "other" })], { onNotice });
      const { outcomes } = yield* callAll(tools, [
        ["shop__die"],
        ["shop__get_order", { order: 1 }],
        ["other__get_order", { order: 2 }],
      ]);
      expect(outcomes).toMatchObject([
        {
          type: "error",
          message: expect.stringMatching(/ended in the middle of the call \(with exit code 3\)/),
        },
        { type: "ok", value: "Order 1 has shipped." },
        { type: "ok", value: "Order 2 has shipped." },
      ]);
      expect(notices).toEqual([
        'The MCP server "shop" has ended (with exit code 3). It is started again for the next call of one of its tools.',
      ]);
    }));

  it("that dies again and again is started three times more, and then fails its calls; everything else goes on", () =>
    run(function* () {
      const notices: string[] = [];
      const onNotice = (message: string) => void notices.push(message);
      const log = join(folder(), "log");
      const shop = shopProgram({ env: { SHOP_LOG: log } });
      const { tools } = yield* useMcpServers([shop, shopProgram({ name: "other" })], { onNotice });
      const { outcomes } = yield* callAll(tools, [
        ["shop__note", { text: "a" }],
        ["shop__die"],
        ["shop__die", { again: 1 }],
        ["shop__die", { again: 2 }],
        ["shop__note", { text: "b" }],
        ["shop__die", { again: 3 }],
        ["shop__note", { text: "c" }],
        ["other__get_order", { order: 2 }],
      ]);
      expect(outcomes.map(({ type }) => type)).toEqual([
        "ok",
        "error",
        "error",
        "error",
        "ok",
        "error",
        "error",
        "ok",
      ]);
      expect(outcomes[6]).toMatchObject({
        message: expect.stringMatching(/"shop" has ended \(with exit code 3\).*use another/),
      });
      expect(notices).toHaveLength(4);
      expect(notices[3]).toMatch(/cannot be used in this run any more\.$/);
      expect(readFileSync(log, "utf8")).toBe("note a\n".concat("die\n".repeat(3), "note b\ndie\n"));
    }));

  it("that cannot be started again fails its calls, and says why", () =>
    run(function* () {
      const notices: string[] = [];
      const onNotice = (message: string) => void notices.push(message);
      const once = join(folder(), "once");
      const { tools } = yield* useMcpServers([hostile("once", { says: once })], { onNotice });
      const { outcomes } = yield* callAll(tools, [["hostile__a"], ["hostile__a", { x: 1 }], ["hostile__b"]]);
      expect(outcomes.map(({ type }) => type)).toEqual(["error", "error", "error"]);
      expect(notices).toHaveLength(2);
      expect(notices[1]).toMatch(
        /"hostile" could not be started .*Its tools cannot be used in this run any more\.$/,
      );
    }));

  it("that a run is over with is not said to have ended", () =>
    run(function* () {
      const notices: string[] = [];
      yield* scoped(function* () {
        yield* useMcpServers([shopProgram()], { onNotice: (message) => void notices.push(message) });
      });
      expect(notices).toEqual([]);
    }));

  it("is gone when the scope is, with what it started, however deaf it is", async () => {
    const pids = join(folder(), "pids");
    const [server, helper] = await run(function* () {
      yield* useMcpServers([hostile("deaf", { says: pids })]);
      return readFileSync(pids, "utf8").split(" ").map(Number);
    });
    expect(goneFrom(server!)).toBe(true);
    await vi.waitFor(() => expect(goneFrom(helper!)).toBe(true)); // it was killed, and the system takes its time
  });

  it("is gone when the run is halted while it is still being started", async () => {
    const pids = join(folder(), "pids");
    await run(function* () {
      const starting = yield* spawn(() => useMcpServers([hostile("deaf", { says: pids })]));
      yield* until(seen(pids, " "));
      yield* starting.halt();
    });
    const [server, helper] = readFileSync(pids, "utf8").split(" ").map(Number);
    expect(goneFrom(server!)).toBe(true);
    await vi.waitFor(() => expect(goneFrom(helper!)).toBe(true)); // it was killed, and the system takes its time
  });

  it("that never answers is given up after a while, by name, and is gone", () =>
    run(function* () {
      for (const how of ["silent", "half"]) {
        const error = yield* thrownBy(useMcpServers([hostile(how, { startTimeoutMs: 300 })]));
        expect(error.message).toBe('The MCP server "hostile" did not list its tools within 300 ms.');
      }
    }));

  it("that cannot be started is an error that names it, and says what it said, but no secret", () =>
    run(function* () {
      const missing = yield* thrownBy(useMcpServers([{ name: "gone", command: "no-such-program-anywhere" }]));
      expect(missing.message).toMatch(
        /^The MCP server "gone" could not be started as "no-such-program-anywhere": .*ENOENT/,
      );
      const nowhere = yield* thrownBy(useMcpServers([shopProgram({ cwd: "/no/such/folder" })]));
      expect(nowhere.message).toContain("its cwd, /no/such/folder, is no folder");
      const ends = yield* thrownBy(useMcpServers([hostile("ends", { env: { TOKEN: "s3cret-value" } })]));
      expect(ends.message).toMatch(
        /ended with exit code 2\. It said: cannot open the database with \(hidden\)/,
      );
      expect(ends.message).not.toContain("s3cret-value");
      const told = hostile("ends", { says: "--key=0ther-secret", secrets: ["0ther-secret"] });
      expect((yield* thrownBy(useMcpServers([told]))).message).toContain("with --key=(hidden)");
    }));

  it("leaves no listener behind on this process", async () => {
    const before = process.listenerCount("exit");
    await run(function* () {
      yield* useMcpServers([shopProgram(), shopProgram({ name: "other" })]);
      expect(process.listenerCount("exit")).toBe(before + 1);
    });
    expect(process.listenerCount("exit")).toBe(before);
  });
});

/** Once a file has a text. */
const seen = (path: string, text: string): Promise<void> =>
  vi.waitFor(
    () => {
      if (!existsSync(path) || !readFileSync(path, "utf8").includes(text))
        throw new Error(`no ${text} in ${path}`);
    },
    { timeout: 20_000, interval: 10 },
  );

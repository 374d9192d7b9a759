import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run, withResolvers } from "effection";
import { describe, expect, it } from "vitest";
import { type McpServerConfig, useMcpServers } from "../../src/index.ts";
import { useEndpoint } from "./endpoint.ts";
import { callAll, folder, shopProgram, thrownBy } from "./support.ts";

const ok = (value: unknown) => ({ type: "ok", value });

describe("a tool of an MCP server", () => {
  it("is called by models as server__tool, and is mcp:server/tool for everybody else", () =>
    run(function* () {
      const { tools, notices } = yield* useMcpServers([shopProgram({ tools: ["get_order", "note"] })]);
      expect(tools.map(({ name, identity, source }) => [name, identity, source])).toEqual([
        ["shop__get_order", "mcp:shop/get_order", "mcp"],
        ["shop__note", "mcp:shop/note", "mcp"],
      ]);
      expect(notices).toEqual([]);
    }));

  it("runs, and the model reads what it says", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram()]);
      const { outcomes, events } = yield* callAll(tools, [["shop__get_order", { order: 7 }]]);
      expect(outcomes).toEqual([ok("Order 7 has shipped.")]);
      expect(events.find(({ type }) => type === "call:dispatched")).toMatchObject({
        identity: "mcp:shop/get_order",
        args: { order: 7 },
      });
    }));

  it("has its arguments checked by its schema before it is called", () =>
    run(function* () {
      const log = join(folder(), "log");
      const { tools } = yield* useMcpServers([shopProgram({ env: { SHOP_LOG: log } })]);
      const { events } = yield* callAll(tools, [
        ["shop__get_order", { order: "seven" }],
        ["shop__get_order", { order: 8 }],
      ]);
      expect(events.find(({ type }) => type === "call:refused")).toMatchObject({
        guard: "invalid",
        message: expect.stringContaining("order"),
      });
      expect(readFileSync(log, "utf8")).toBe("get_order 8\n");
    }));

  it("gives a structure where it has one, and says pictures and files in words", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram()]);
      const { outcomes } = yield* callAll(tools, [["shop__stock"], ["shop__poster"]]);
      expect(outcomes).toEqual([
        ok({ pens: 3 }),
        ok(
          [
            "The poster:",
            "[image, image/png, 7 bytes: it cannot be shown here]",
            "[resource poster.txt: file:///poster.txt]",
            "[resource file:///a.txt]\nHello.",
          ].join("\n\n"),
        ),
      ]);
    }));

  it("that says that it failed is a failure, and its words are the model's to read", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram()]);
      const { outcomes } = yield* callAll(tools, [["shop__refund"]]);
      expect(outcomes).toEqual([{ type: "error", message: "The till is empty." }]);
    }));

  it("keeps the annotations that its server sent, and has null where it sent none", () =>
    run(function* () {
      const seen: unknown[] = [];
      const { tools } = yield* useMcpServers([shopProgram()]);
      yield* callAll(
        tools,
        [
          ["shop__cancel_order", { order: 1 }],
          ["shop__note", { text: "a" }],
        ],
        {
          policy: ({ meta, source, identity }) => {
            if (source === "mcp") seen.push([identity, meta.annotations]);
            return undefined;
          },
        },
      );
      expect(seen).toEqual([
        ["mcp:shop/cancel_order", { destructiveHint: true }],
        ["mcp:shop/note", null],
      ]);
    }));

  it("may run again after a crash where its server says that this does no harm", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram()]);
      const harmless = tools.filter(({ idempotent }) => idempotent).map(({ name }) => name);
      expect(harmless).toEqual(["shop__get_order"]);
    }));

  it("runs only with a grant where its server is set to hold it back", () =>
    run(function* () {
      const log = join(folder(), "log");
      const { tools } = yield* useMcpServers([
        shopProgram({ env: { SHOP_LOG: log }, protected: ["cancel_*"] }),
      ]);
      const without = yield* callAll(tools, [["shop__cancel_order", { order: 1 }]]);
      expect(without.events.find(({ type }) => type === "call:refused")).toMatchObject({
        guard: "auth_reject",
      });
      yield* callAll(tools, [["shop__cancel_order", { order: 2 }]], { grants: ["mcp:shop/cancel_order"] });
      expect(readFileSync(log, "utf8")).toBe("cancel_order 2\n");
    }));

  it("says how far it is", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram()]);
      const { events, outcomes } = yield* callAll(tools, [["shop__count"]]);
      expect(events.flatMap((event) => (event.type === "call:progress" ? [event.message] : []))).toEqual([
        "counted (1 of 3)",
        "counted (2 of 3)",
        "counted (3 of 3)",
      ]);
      expect(outcomes).toEqual([ok("Three.")]);
    }));

  it("is denied, and asked about, by its identity", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram()]);
      const { events } = yield* callAll(tools, [["shop__cancel_order", { order: 1 }]], {
        deny: ["mcp:shop/cancel_*"],
      });
      expect(events.find(({ type }) => type === "call:refused")).toMatchObject({ guard: "deny" });
    }));
});

describe("the tools that a server is set to give", () => {
  it("are those that it names; a name that it does not have is an error with the nearest", () =>
    run(function* () {
      const error = yield* thrownBy(useMcpServers([shopProgram({ tools: ["get_ordr"] })]));
      expect(error.name).toBe("ConfigurationError");
      expect(error.message).toMatch(
        /The MCP server "shop" has no tool "get_ordr", which tools names; did you mean "get_order"\? It has cancel_order, /,
      );
    }));

  it("are held to a deadline of its own", () =>
    run(function* () {
      const { tools } = yield* useMcpServers([shopProgram({ timeoutMs: 50 })]);
      const { outcomes } = yield* callAll(tools, [["shop__wait"], ["shop__get_order", { order: 1 }]]);
      expect(outcomes[0]).toMatchObject({ type: "error", message: expect.stringContaining("50 ms") });
      expect(outcomes[1]).toEqual(ok("Order 1 has shipped."));
    }));
});

it("servers have names that can stand in the names of tools", () =>
  run(function* () {
    for (const name of ["a__b", "", "a b", "mcp:x", "_a", "a".repeat(33)])
      expect((yield* thrownBy(useMcpServers([shopProgram({ name })]))).message).toMatch(/is no name for one/);
    expect((yield* thrownBy(useMcpServers([shopProgram(), shopProgram()]))).message).toMatch(
      /two are called "shop"/,
    );
  }));

describe("a server that changes its tools", () => {
  /** Reaches it, has it change them, and waits until that is known here. */
  function* changing(server: McpServerConfig) {
    const notices: string[] = [];
    const heard = withResolvers<void>();
    const { tools } = yield* useMcpServers([server], {
      onNotice: (message) => {
        notices.push(message);
        heard.resolve();
      },
    });
    const { outcomes } = yield* callAll(tools, [["shop__clear_out"]]);
    expect(outcomes).toEqual([ok("Cleared.")]);
    yield* heard.operation;
    return { tools, notices };
  }
  const says = (what: string) =>
    `The MCP server "shop" has changed its tools: ${what}. A run goes on with the tools that it began with.`;

  it("is asked again; its tools here are those that it had, and one that is gone says so when it is called", () =>
    run(function* () {
      const log = join(folder(), "log");
      const { tools, notices } = yield* changing(shopProgram({ env: { SHOP_LOG: log } }));
      expect(notices).toEqual([
        says("sell is new here; cancel_order is no longer there; note is described otherwise"),
      ]);
      expect(tools.map(({ name }) => name)).not.toContain("shop__sell");
      const { outcomes } = yield* callAll(tools, [
        ["shop__cancel_order", { order: 7 }],
        ["shop__note", { text: "still here" }],
      ]);
      expect(outcomes).toEqual([
        {
          type: "error",
          message:
            'The MCP server "shop" no longer has the tool cancel_order. Use another, or report what you have.',
        },
        ok("Noted."),
      ]);
      expect(readFileSync(log, "utf8")).toBe("note still here\n");
    }));

  it("says so over HTTP as well", () =>
    run(function* () {
      const { url } = yield* useEndpoint();
      const { tools, notices } = yield* changing({ name: "shop", url });
      expect(notices).toEqual([
        says("sell is new here; cancel_order is no longer there; note is described otherwise"),
      ]);
      const { outcomes } = yield* callAll(tools, [["shop__cancel_order", { order: 7 }]]);
      expect(outcomes).toMatchObject([{ type: "error", message: expect.stringContaining("no longer has") }]);
    }));

  it("has only those changes said that matter here", () =>
    run(function* () {
      const { notices } = yield* changing(shopProgram({ tools: ["clear_out", "s*"] }));
      expect(notices).toEqual([says("sell is new here")]);
    }));

  it("has them compared as well where it was started again", () =>
    run(function* () {
      const { tools, notices } = yield* changing(shopProgram());
      const { outcomes } = yield* callAll(tools, [["shop__die"], ["shop__cancel_order", { order: 7 }]]);
      expect(outcomes).toMatchObject([{ type: "error" }, ok("7 is cancelled.")]);
      expect(notices.slice(1)).toMatchObject([
        expect.stringContaining("has ended"),
        says("cancel_order is new here; sell is no longer there; note is described otherwise"),
      ]);
    }));
});

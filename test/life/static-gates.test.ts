import {
  agentPool,
  ConfigurationError,
  cancel,
  type GuardFunction,
  parallel,
  refuse,
  requireApproval,
  substitute,
  type Tool,
} from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, asks, finish, instant, ofType, playing, report, thrownBy } from "../scenarios/support.ts";
import { saying } from "./banking.ts";
import { approve, deny, once, openLife, playLife, shownIn, waiting } from "./support.ts";

describe("a static gate", () => {
  const gated = (answer: unknown) => {
    const search = instant("search");
    const model = once("search");
    return {
      search,
      model,
      options: { model, tools: [search], requireApproval: ["search"], policy: saying(answer) },
    };
  };

  it("loses to a deny of the hook: the call is denied and nobody is asked", () =>
    run(function* () {
      const { search, options } = gated(refuse("no"));
      const { result, events } = yield* playLife(options);
      expect(search.asked).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ guard: "policy", message: "no" }]);
    }));

  it("loses to a cancel of the hook", () =>
    run(function* () {
      const { search, options } = gated(cancel("no"));
      const { events } = yield* playLife(options);
      expect(search.asked).toEqual([]);
      expect(ofType(events, "approval:requested")).toEqual([]);
    }));

  for (const [what, answer] of [
    ["allow", undefined],
    ["substitute", substitute("canned")],
    ["requireApproval", requireApproval("the hook's reason")],
  ] as const) {
    it(`stays in place where the hook says ${what}: a person is asked, and on approval the tool runs`, () =>
      run(function* () {
        const { search, model, options } = gated(answer);
        const rig = yield* openLife(options);
        expect(search.asked).toEqual([]);
        yield* approve(rig, waiting(rig));
        yield* finish(rig);
        expect(search.asked).toEqual(["x"]);
        expect(shownIn(model, 2)).toMatchObject([{ type: "json", value: { answer: "x" } }]);
        expect(ofType(rig.events, "approval:requested")).toHaveLength(1);
      }));

    it(`stays in place where the hook says ${what}: denied by the person the tool does not run`, () =>
      run(function* () {
        const { search, model, options } = gated(answer);
        const rig = yield* openLife(options);
        yield* deny(rig, waiting(rig), "not now");
        yield* finish(rig);
        expect(search.asked).toEqual([]);
        expect(shownIn(model, 2)).toMatchObject([
          { type: "error-text", value: expect.stringContaining("not now") },
        ]);
      }));
  }

  it("puts a substitute that is not used on record", () =>
    run(function* () {
      const { options } = gated(substitute({ canned: true }));
      const rig = yield* openLife(options);
      expect(ofType(rig.events, "hook:warning")).toMatchObject([
        { hook: "policy", call: "agent/0:1#0", value: { canned: true } },
      ]);
      expect(ofType(rig.events, "call:substituted")).toEqual([]);
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
    }));

  it("holds back the whole batch: a call that needs nobody waits until the person decided", () =>
    run(function* () {
      const [search, other] = [instant("search"), instant("other")];
      const rig = yield* openLife({
        model: playing(asks(["other", { q: "1" }], ["search", { q: "2" }]), report()),
        tools: [search, other],
        requireApproval: ["search"],
      });
      expect(other.asked).toEqual([]);
      yield* deny(rig, waiting(rig));
      yield* finish(rig);
      expect([other.asked, search.asked]).toEqual([["1"], []]);
    }));

  it("in both lists at once is an error that names the tool", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({
          model: once("search"),
          tools: [instant("search")],
          deny: ["search"],
          requireApproval: ["search"],
        }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/requireApproval.*search.*deny/s);
    }));

  it("of a tool there is not is an error that names the nearest", () =>
    run(function* () {
      const error = yield* thrownBy(
        playLife({ model: once("search"), tools: [instant("search")], requireApproval: ["serch"] }),
      );
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/requireApproval.*"serch".*did you mean "search"/s);
    }));

  it("over everything leaves a deny of one tool as it is: neither is an error", () =>
    run(function* () {
      const [search, shell] = [instant("search"), instant("shell")];
      const rig = yield* openLife({
        model: playing(asks(["search", { q: "1" }], ["shell", { q: "2" }]), { text: "done" }),
        tools: [search, shell],
        terminal: undefined,
        deny: ["shell"],
        requireApproval: ["*"],
      });
      yield* approve(rig, waiting(rig));
      const { agents } = yield* finish(rig);
      expect([search.asked, shell.asked]).toEqual([["1"], []]);
      expect(agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
    }));

  it("may be tightened to a deny by a nested pool", () =>
    run(function* () {
      const search = instant("search");
      const { events } = yield* playLife({
        model: playing(ask("search"), report()),
        tools: [search],
        requireApproval: ["search"],
        *orchestrate() {
          yield* agentPool({ key: "inner", deny: ["search"], orchestrate: parallel(["look"]) });
        },
      });
      expect(search.asked).toEqual([]);
      expect(ofType(events, "call:refused")).toMatchObject([{ guard: "deny" }]);
    }));
});

describe("a client tool", () => {
  const pick = (): Tool => ({ ...instant("pick"), target: "client" });

  it("cannot be approved here: a hook that asks for it denies the call, with the reason and a warning", () =>
    run(function* () {
      const model = once("pick");
      const { result, events } = yield* playLife({
        model,
        tools: [pick()],
        policy: saying(requireApproval("ask somebody")),
      });
      expect(shownIn(model, 2)).toMatchObject([
        { type: "error-text", value: expect.stringContaining("approval is not supported for client tools") },
      ]);
      expect(ofType(events, "hook:warning")).toMatchObject([{ call: "agent/0:1#0" }]);
      expect(ofType(events, "approval:requested")).toEqual([]);
      expect(result.agents[0]!.refusals).toMatchObject([{ tool: "pick", guard: "approval" }]);
    }));

  for (const pattern of ["pick", "local:pick"])
    it(`in requireApproval as ${pattern} is an error that says why`, () =>
      run(function* () {
        const error = yield* thrownBy(
          playLife({ model: once("pick"), tools: [pick()], requireApproval: [pattern] }),
        );
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(/requireApproval.*pick.*client/s);
      }));

  it("that a pattern over many tools selects is denied with a warning", () =>
    run(function* () {
      const { events } = yield* playLife({
        model: playing(ask("pick"), { text: "done" }),
        terminal: undefined,
        tools: [pick(), instant("search")],
        requireApproval: ["local:*"],
      });
      expect(ofType(events, "hook:warning")).toHaveLength(1);
      expect(ofType(events, "call:refused")).toMatchObject([{ tool: "pick", guard: "approval" }]);
    }));

  for (const [what, answer, type] of [
    ["denied", refuse("no"), "error-text"],
    ["cancelled", cancel("no"), "text"],
    ["answered in its place", substitute({ picked: 1 }), "json"],
  ] as const)
    it(`may be ${what} like any other: the client never sees the call`, () =>
      run(function* () {
        const model = once("pick");
        const rig = yield* openLife({ model, tools: [pick()], policy: saying(answer) });
        expect(rig.handle.clientCalls()).toEqual([]);
        yield* finish(rig);
        expect(shownIn(model, 2)).toMatchObject([{ type }]);
      }));
});

describe("tools of other sources", () => {
  /** Stand-ins, as an adapter for MCP or for skills makes them. */
  const mcp = (annotations?: { readonly [key: string]: unknown }): ReturnType<typeof instant> =>
    instant("delete_file", {
      source: "mcp",
      identity: "mcp:files/delete_file",
      meta: { server: "files", annotations },
    });
  const mcpPolicy: GuardFunction = ({ source, meta }) => {
    const annotations = meta.annotations ?? {};
    return source === "mcp" && annotations.destructiveHint
      ? requireApproval("Destructive MCP tool")
      : undefined;
  };

  it("a policy on what an MCP server declared asks about a destructive tool", () =>
    run(function* () {
      const tool = mcp({ destructiveHint: true });
      const rig = yield* openLife({ model: once("delete_file"), tools: [tool], policy: mcpPolicy });
      expect(waiting(rig)).toMatchObject({
        identity: "mcp:files/delete_file",
        reason: "Destructive MCP tool",
      });
      yield* approve(rig, waiting(rig));
      yield* finish(rig);
      expect(tool.asked).toEqual(["x"]);
    }));

  it("annotations are null where the server sent none, whether it left them out or sent undefined", () =>
    run(function* () {
      const seen: unknown[] = [];
      const bare = instant("list_files", { source: "mcp", meta: { server: "files" } });
      yield* playLife({
        model: playing(asks(["delete_file"], ["list_files"]), report()),
        tools: [mcp(undefined), bare],
        policy: ({ source, meta }) => {
          if (source === "mcp") seen.push(meta);
        },
      });
      expect(seen).toEqual([
        { server: "files", annotations: null },
        { server: "files", annotations: null },
      ]);
    }));

  it("skills come with their source, and a policy may govern some of them", () =>
    run(function* () {
      const skills = ["use_skill", "read_skill_resource", "run_skill_script"].map((name) =>
        instant(name, { source: "skill" }),
      );
      const seen: string[] = [];
      yield* playLife({
        model: playing(asks(...skills.map(({ name }) => [name, { q: "x" }] as const)), report()),
        tools: skills,
        policy: ({ source, identity, tool }) => {
          if (source === "skill") seen.push(identity);
          return tool === "run_skill_script" ? refuse("no scripts here") : undefined;
        },
      });
      expect(seen).toEqual(["skill:use_skill", "skill:read_skill_resource", "skill:run_skill_script"]);
      expect(skills.map(({ asked }) => asked)).toEqual([["x"], ["x"], []]);
    }));

  it("static lists cover every source by name, identity and pattern", () =>
    run(function* () {
      for (const deny of ["delete_file", "mcp:files/delete_file", "mcp:files/*", "mcp:*"]) {
        const tool = mcp();
        const { result } = yield* playLife({ model: once("delete_file"), tools: [tool], deny: [deny] });
        expect(tool.asked).toEqual([]);
        expect(result.agents[0]!.refusals).toMatchObject([{ guard: "deny" }]);
      }
    }));
});

import {
  type AgentPoolOptions,
  ApprovalDesk,
  agentPool,
  ConfigurationError,
  dedup,
  delegate,
  parallel,
  reportTool,
  runPool,
  type Tool,
} from "@agentpool/core";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, instant, playing, report, thrownBy } from "./support.ts";

const guard = { name: "query_dedup", message: "again?", reject: () => false };
const search = () => instant("search", { hooks: { beforeDispatch: [guard] } });

/** Options, what is wrong with them, and what the error has to say: place, what was found, what is accepted. */
const wrong: [what: string, options: object, says: RegExp[]][] = [
  ["no model", { model: undefined }, [/model/, /missing/]],
  ["no orchestrator", { orchestrate: undefined }, [/orchestrate/, /parallel/]],
  ["an orchestrator that is a list of tasks", { orchestrate: ["a"] }, [/orchestrate/]],
  ["a tool without a name", { tools: [{ ...search(), name: "" }] }, [/tools\[0\]/, /name/]],
  ["a tool that is undefined", { tools: [search(), undefined] }, [/tools\[1\]/]],
  [
    "a tool without execute",
    { tools: [{ ...search(), execute: undefined }] },
    [/tools\[0\]/, /"search"/, /execute/],
  ],
  [
    "a tool without parameters",
    { tools: [{ ...search(), parameters: undefined }] },
    [/"search"/, /parameters/],
  ],
  ["two tools of one name", { tools: [search(), search()] }, [/tools\[1\]/, /"search"/]],
  ["the terminal tool among the tools", { tools: [search(), reportTool] }, [/"report"/]],
  ["tools that are no list", { tools: search() }, [/tools/, /list/]],
  [
    "a tool whose deadline is no number",
    { tools: [{ ...search(), timeoutMs: Number.NaN }] },
    [/search/, /timeoutMs/],
  ],
  [
    "a tool whose deadline is before it starts",
    { tools: [{ ...search(), timeoutMs: -1 }] },
    [/search/, /timeoutMs/, /-1/],
  ],
  [
    "a tool whose schema cannot be shown to a model",
    { tools: [{ ...search(), parameters: z.object({ at: z.date() }) }] },
    [/search/, /parameters/],
  ],
  [
    "a tool whose schema is none",
    { tools: [{ ...search(), parameters: { type: "nonsense" } }] },
    [/search/, /parameters/],
  ],
  ["hooks that are no list", { hooks: { onReturn: () => undefined } }, [/hooks/, /list/]],
  ["a hook that is none", { hooks: [null] }, [/hooks\[0\]/]],
  ["a hook that is a function", { hooks: [() => undefined] }, [/hooks\[0\]/, /function/]],
  [
    "a moment that there is not",
    { hooks: [{ onReturns: () => undefined }] },
    [/hooks\[0\]\.onReturns/, /onReturn\b/],
  ],
  [
    "a moment of a tool's hooks that there is not",
    { tools: [{ ...search(), hooks: { beforeDispatches: [] } }] },
    [/search/, /beforeDispatches/, /beforeDispatch\b/],
  ],
  ["a moment that is no function", { hooks: [{ onReturn: "always" }] }, [/hooks\[0\]\.onReturn/, /function/]],
  [
    "a guard whose tools are no list",
    { hooks: [{ beforeDispatch: [{ ...guard, tools: "search" }] }] },
    [/beforeDispatch\[0\] "query_dedup"\.tools/, /list/],
  ],
  [
    "a guard for a tool that is no name",
    { hooks: [{ beforeDispatch: [{ ...guard, tools: ["search", 3] }] }] },
    [/beforeDispatch\[0\] "query_dedup"\.tools/, /found 3/],
  ],
  ["guards that are no list", { hooks: [{ beforeDispatch: guard }] }, [/hooks\[0\]\.beforeDispatch/, /list/]],
  [
    "a guard without a name",
    { hooks: [{ beforeDispatch: [{ ...guard, name: "" }] }] },
    [/hooks\[0\]\.beforeDispatch\[0\]/, /name/],
  ],
  [
    "a guard that is an anonymous function",
    { hooks: [{ beforeDispatch: [() => undefined] }] },
    [/beforeDispatch\[0\]/, /name/],
  ],
  [
    "a guard that decides nothing",
    { hooks: [{ beforeDispatch: [{ name: "g", message: "no" }] }] },
    [/"g"/, /reject, decide and key/],
  ],
  [
    "a guard that decides twice",
    { hooks: [{ beforeDispatch: [{ ...guard, decide: () => undefined }] }] },
    [/query_dedup/, /exactly one/],
  ],
  [
    "a guard without a message",
    { hooks: [{ beforeDispatch: [{ name: "g", reject: () => true }] }] },
    [/"g"/, /message/],
  ],
  [
    "a guard with a name of the framework's",
    { hooks: [{ beforeDispatch: [{ ...guard, name: "limit" }] }] },
    [/"limit"/],
  ],
  ["a guard that is null", { hooks: [{ beforeDispatch: [null] }] }, [/beforeDispatch\[0\]/, /null/]],
  [
    "a guard whose deadline is no number",
    { hooks: [{ beforeDispatch: [{ ...guard, timeoutMs: Number.NaN }] }] },
    [/query_dedup/, /timeoutMs/],
  ],
  [
    "a guard whose onError is neither",
    { hooks: [{ beforeDispatch: [{ ...guard, onError: "ignore" }] }] },
    [/query_dedup/, /onError/, /proceed/],
  ],
  [
    "an override of a guard there is not",
    { guards: { query_dedupe: false } },
    [/guards\.query_dedupe/, /"query_dedup"/],
  ],
  ["overrides that are no map", { guards: "query_dedup" }, [/guards/]],
  [
    "overrides of a pool without tools",
    { tools: [], guards: { query_dedup: false } },
    [/guards/, /no tools/],
  ],
  ["denies of a pool without tools", { tools: [], deny: ["search"] }, [/deny/, /no tools/]],
  ["a deny of a tool there is not", { deny: ["serch"] }, [/deny/, /"search"/]],
  ["a deny of the terminal tool", { deny: ["report"] }, [/deny/, /"report"/]],
  ["a deny of the terminal tool among others", { deny: ["local:*"] }, [/deny/, /"report"/]],
  ["a deny that is no list", { deny: "search" }, [/deny/, /list/]],
  ["a deny that is empty", { deny: [""] }, [/deny/]],
  ["a grant for a tool there is not", { grants: ["serch"] }, [/grants/, /"search"/]],
  ["grants that are no list", { grants: "search" }, [/grants/, /list/]],
  ["a limit there is not", { budget: { maxTurn: 3 } }, [/budget/, /maxTurn/, /"maxTurns"/]],
  ["no turns", { budget: { maxTurns: 0 } }, [/budget\.maxTurns/, /0/, /1/]],
  ["turns that are no number", { budget: { maxTurns: Number.NaN } }, [/budget\.maxTurns/]],
  ["turns that are text", { budget: { maxTurns: "ten" } }, [/budget\.maxTurns/, /ten/]],
  ["calls below none", { budget: { maxToolCalls: -1 } }, [/budget\.maxToolCalls/, /-1/]],
  ["no concurrent tools", { budget: { concurrentTools: 0 } }, [/budget\.concurrentTools/]],
  ["half a concurrent tool", { budget: { concurrentTools: 1.5 } }, [/budget\.concurrentTools/, /1\.5/]],
  ["a context beyond the window", { budget: { context: { hard: 2 } } }, [/budget\.context\.hard/, /2/]],
  ["a context that is none", { budget: { context: null } }, [/budget\.context/]],
  ["a recovery that there is not", { recovery: "never" }, [/recovery/, /never/, /report/]],
  ["a parent that is none", { parent: {} }, [/parent/]],
];

const base = (): AgentPoolOptions => ({
  model: playing(ask("search"), report()),
  tools: [search()],
  terminal: reportTool,
  orchestrate: parallel(["a"]),
});

describe("options that cannot work", () => {
  // must hold: the error is a configuration error that names the place, what was found and what is accepted
  for (const [what, options, says] of wrong)
    it(`${what}: an error before anything runs, which says where and what instead`, () =>
      run(function* () {
        const model = playing(ask("search"), report());
        const error = yield* thrownBy(agentPool({ ...base(), model, ...options }));
        expect(error).toBeInstanceOf(ConfigurationError);
        for (const part of says) expect(String(error)).toMatch(part);
        expect(model.requests).toEqual([]);
      }));

  it("throw the same from runPool, as a rejection", async () => {
    await expect(Promise.resolve(runPool({ ...base(), budget: { maxTurns: 0 } }))).rejects.toThrow(
      ConfigurationError,
    );
  });
});

/** What says "as if it was not there". */
const absent: [string, object][] = [
  ["tools", { tools: undefined }],
  ["guards", { guards: undefined }],
  ["an empty map of guards", { guards: {} }],
  ["denies", { deny: undefined }],
  ["no denies", { deny: [] }],
  ["grants", { grants: undefined }],
  ["a budget", { budget: undefined }],
  ["an empty budget", { budget: {} }],
  ["hooks", { hooks: undefined }],
  ["no hooks", { hooks: [] }],
  ["a hook without moments", { hooks: [{}] }],
  ["a terminal tool", { terminal: undefined }],
  ["a recovery", { recovery: undefined }],
  ["a guard that is there twice", { hooks: [{ beforeDispatch: [guard] }, { beforeDispatch: [guard] }] }],
];

describe("options that may be left out", () => {
  for (const [what, options] of absent)
    it(`${what}`, () =>
      run(function* () {
        const { agents } = yield* agentPool({ ...base(), model: playing({ text: "fine" }), ...options });
        expect(agents[0]!.result).toBe("fine");
      }));

  // must hold: undefined is as if it was not there
  it("limits that are undefined have their defaults", () =>
    run(function* () {
      const model = playing(...Array.from({ length: 12 }, (_, n) => ask("search", { q: `${n}` })), report());
      const { agents } = yield* agentPool({
        ...base(),
        model,
        budget: { maxTurns: undefined, concurrentTools: undefined, context: undefined },
      });
      expect(agents[0]).toMatchObject({ exit: "max_turns", turns: 10 });
    }));
});

describe("options of a pool inside a call", () => {
  const inside = (options: object, tools: Tool[] = []) =>
    agentPool({
      ...base(),
      model: playing(ask("delegate", { tasks: ["help"] }), report()),
      tools: [search(), ...tools, delegate(options)],
      hooks: [{ beforeDispatch: [dedup("outer_dedup", ({ q }) => q, { tools: ["search"] })] }],
    });

  for (const [what, options] of [
    ["a guard there is not", { guards: { query_dedupe: false } }],
    ["a deny of a tool there is not", { deny: ["serch"] }],
    ["a limit there is not", { budget: { maxTurn: 1 } }],
    ["a desk of its own for approvals", { approvals: new ApprovalDesk() }],
  ] as const)
    it(`with ${what} are an error that the caller reads, and nobody is spawned`, () =>
      run(function* () {
        const { totals, agents } = yield* inside(options);
        expect(totals.agents).toBe(1);
        expect(agents[0]).toMatchObject({ exit: "returned", attendedCount: 0, toolCallCount: 1 });
      }));

  it("may widen a guard of the pool around it", () =>
    run(function* () {
      const { agents } = yield* inside({
        guards: { outer_dedup: { scope: "cohort" }, query_dedup: { scope: "cohort" } },
      });
      expect(agents[0]!.attendedCount).toBe(1);
    }));
});

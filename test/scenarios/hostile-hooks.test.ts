import {
  type ExecutedInput,
  type PoolEvent,
  parallel,
  reportTool,
  type ToolLifecycleHooks,
} from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { run, suspend } from "effection";
import { describe, expect, it } from "vitest";
import { revoked } from "./hostile.ts";
import { ask, instant, lastShown, noted, ofType, play, playing, report, strayRejections } from "./support.ts";

describe("a hostile hook", () => {
  const moments: (keyof ToolLifecycleHooks)[] = [
    "afterExecute",
    "onResult",
    "beforeAdmit",
    "afterAdmit",
    "onReturn",
  ];
  const failures: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new TypeError("a secret");
      },
    ],
    ["rejects", () => Promise.reject(new TypeError("a secret"))],
    ["never answers", () => new Promise(() => {})],
    [
      "suspends",
      function* () {
        yield* suspend();
      },
    ],
    ["answers text", () => "yes"],
    ["answers an unknown type", () => ({ type: "always" })],
    ["answers a type of ordinary objects", () => ({ type: "constructor" })],
    ["answers a revoked proxy", revoked],
  ];
  for (const moment of moments)
    for (const [how, hook] of failures) {
      if (moment === "onResult" && how.startsWith("answers")) continue;
      it(`that ${how} at ${moment} abstains, with an event, and the next is asked`, () =>
        run(function* () {
          const asked: string[] = [];
          const rig = yield* play({
            model: scripted(() => [ask("search", { q: "x" }), report("went on")], {
              contextWindow: moment === "beforeAdmit" ? 700 : undefined,
            }),
            tools: [
              instant("search", { execute: () => (moment === "beforeAdmit" ? "x".repeat(10_000) : "found") }),
            ],
            terminal: reportTool,
            hooks: [
              { name: "hostile", [moment]: hook },
              { [moment]: () => noted(asked, "asked", undefined) },
            ],
            orchestrate: parallel(["a"]),
          });
          expect(asked.length).toBeGreaterThan(0);
          expect(rig.result.agents[0]!.result).toBe("went on");
          expect(rig.result.agents[0]!.exit).toBe("returned");
          expect(ofType(rig.events, "hook:error")[0]).toMatchObject({
            hook: "hostile",
            moment,
            verdict: "skipped",
            ms: how === "never answers" || how === "suspends" ? 30_000 : 0,
          });
          expect(JSON.stringify(rig.events)).not.toContain("a secret");
        }));
    }

  for (const answer of [
    { type: "retry" },
    { type: "retry", afterMs: -1 },
    { type: "retry", afterMs: "5" },
    { type: "retry", afterMs: Number.POSITIVE_INFINITY },
    { type: "fail", message: 7 },
    { type: "fail", message: "" },
  ])
    it(`that answers ${JSON.stringify(answer)} at afterExecute is malformed: it abstains`, () =>
      run(function* () {
        const { result, events } = yield* play({
          model: playing(ask("search"), report()),
          tools: [instant("search", { hooks: { afterExecute: () => answer as never } })],
          terminal: reportTool,
          orchestrate: parallel(["a"]),
        });
        expect(result.agents[0]).toMatchObject({ attendedCount: 1, parks: 0 });
        expect(ofType(events, "hook:error")).toHaveLength(1);
      }));

  for (const moment of ["onResult", "afterExecute", "afterAdmit"] as const) {
    it(`that changes the result at ${moment} changes nothing that the model reads`, () =>
      run(function* () {
        const model = playing(ask("search"), report());
        yield* play({
          model,
          tools: [instant("search", { execute: () => ({ hits: ["kept"] }) })],
          terminal: reportTool,
          hooks: [
            {
              [moment]: (input: { result: { hits: string[] } }) => {
                input.result.hits.push("changed");
                input.result.hits = [];
              },
            },
          ],
          orchestrate: parallel(["a"]),
        });
        expect(lastShown(model, "agent/0")[0]!.value).toEqual({ hits: ["kept"] });
      }));
  }

  // must hold: what hooks are given are copies: only what they answer counts
  it("that changes the execution at afterExecute changes nothing that the model reads", () =>
    run(function* () {
      const model = playing(ask("search"), report());
      yield* play({
        model,
        tools: [instant("search", { execute: () => ({ hits: ["kept"] }) })],
        terminal: reportTool,
        hooks: [
          {
            afterExecute: ({ execution }: ExecutedInput) => {
              const changing = execution as { value?: unknown };
              (changing.value as { hits: string[] }).hits.push("changed");
              changing.value = "changed";
            },
          },
        ],
        orchestrate: parallel(["a"]),
      });
      expect(lastShown(model, "agent/0")[0]!.value).toEqual({ hits: ["kept"] });
    }));

  it("that makes a failed execution look as if it had returned does not make it attended", () =>
    run(function* () {
      const { result } = yield* play({
        model: playing(ask("search"), report()),
        tools: [
          instant("search", {
            execute: () => {
              throw new Error("down");
            },
          }),
        ],
        terminal: reportTool,
        hooks: [
          {
            afterExecute: ({ execution }) => void Object.assign(execution, { type: "returned", value: "up" }),
          },
        ],
        orchestrate: parallel(["a"]),
      });
      expect(result.agents[0]!.attendedCount).toBe(0);
    }));

  // must hold: an observer that fails is none of the run's business, in whatever way it fails
  it("that observes events and rejects leaves no rejection unhandled", async () => {
    const strays = await strayRejections(() =>
      run(() =>
        play({
          model: playing(report()),
          tools: [],
          terminal: reportTool,
          onEvent: (async () => {
            throw new Error("observer");
          }) as (event: PoolEvent) => void,
          orchestrate: parallel(["a"]),
        }),
      ),
    );
    expect(strays).toEqual([]);
  });
});

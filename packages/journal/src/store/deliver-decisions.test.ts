import { type Approval, ApprovalDesk, type Clock, manualClock } from "@agentpool/core";
import { run, until, withResolvers } from "effection";
import { expect, test } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { useDeliveries } from "./deliver-decisions.ts";

const approval: Approval = {
  id: "a1",
  agent: "agent/0",
  call: "agent/0:1#0",
  tool: "send",
  identity: "local:send",
  args: {},
  digest: "",
  reason: "ask me",
};

test("a decision nobody told us of is found by looking again, on the run's clock", () =>
  run(function* () {
    const time = manualClock();
    let armed = withResolvers<void>();
    const clock: Clock = {
      now: time.now,
      at(when, fire) {
        armed.resolve();
        return time.at(when, fire);
      },
    };
    let decided = false;
    const engine: Pick<Engine, "all" | "watch"> = {
      all: async () => (decided ? [{ id: "a1", decision: "approved", reason: null }] : []),
      watch: () => () => {},
    };
    const desk = new ApprovalDesk();
    const answer = withResolvers<string>();
    const { look } = yield* useDeliveries(engine as Engine, { run: "r1", desk, clock });
    desk.ask(approval, ({ type }) => answer.resolve(type));
    look();
    yield* armed.operation;
    decided = true;
    armed = withResolvers<void>();
    time.advance(5_000);
    expect(yield* answer.operation).toBe("approved");
    yield* until(Promise.resolve());
    expect(time.pending).toBe(0);
  }));

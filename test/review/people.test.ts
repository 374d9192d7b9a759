import { type Approval, ApprovalDesk, parallel, reportTool } from "@agentpool/core";
import { reviewer } from "@agentpool/review";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { ask, ofType, play, playing, report } from "../scenarios/support.ts";
import { breach, judging, pass, shop } from "./support.ts";

const base = {
  terminal: reportTool,
  orchestrate: parallel(["Cancel it."]),
  requireApproval: ["cancel_order"],
};

/** Approves whatever is asked, and keeps it. */
function* approving(options: { judge: ReturnType<typeof judging> }) {
  const { tools, cancelled } = shop();
  const approvals = new ApprovalDesk();
  const asked: Approval[] = [];
  const order: string[] = [];
  const rig = yield* play({
    ...base,
    model: playing(ask("cancel_order", { order: 1 }), report()),
    tools,
    approvals,
    reviewer: reviewer({ models: options.judge }),
    onEvent(event) {
      if (/^review:|^approval:requested|^call:dispatched/.test(event.type)) order.push(event.type);
      if (event.type !== "approval:requested") return;
      asked.push(event.approval);
      approvals.approve(event.approval.id);
    },
  });
  return { ...rig, asked, order, cancelled };
}

describe("a person who has to approve a call", () => {
  it("is asked after its review passed, and shown the verdict", () =>
    run(function* () {
      const { asked, order, cancelled } = yield* approving({ judge: judging(pass("Tell the customer.")) });
      expect(order).toEqual(["review:started", "review:passed", "approval:requested", "call:dispatched"]);
      expect(asked).toMatchObject([
        {
          tool: "cancel_order",
          reviews: [
            { model: "judge", todo: "Tell the customer.", asked: [{ by: "tool", tool: "cancel_order" }] },
          ],
        },
      ]);
      expect(cancelled).toEqual([1]);
    }));

  it("is not asked about a call that was sent back", () =>
    run(function* () {
      const { asked, cancelled } = yield* approving({ judge: judging(breach()) });
      expect(asked).toEqual([]);
      expect(cancelled).toEqual([]);
    }));

  it("is not asked about a call whose review failed", () =>
    run(function* () {
      const { asked, events } = yield* approving({ judge: judging({ error: new Error("down") }) });
      expect(asked).toEqual([]);
      expect(ofType(events, "review:failed")).toHaveLength(1);
    }));

  it("is shown no review where nobody gave one", () =>
    run(function* () {
      const { tools } = shop({ cancel: { consequential: false } });
      const approvals = new ApprovalDesk();
      const asked: Approval[] = [];
      yield* play({
        ...base,
        model: playing(ask("cancel_order", { order: 1 }), report()),
        tools,
        approvals,
        onEvent(event) {
          if (event.type !== "approval:requested") return;
          asked.push(event.approval);
          approvals.approve(event.approval.id);
        },
      });
      expect(asked).toHaveLength(1);
      expect(asked[0]).not.toHaveProperty("reviews");
    }));
});

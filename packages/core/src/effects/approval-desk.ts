import type { Approval, ApprovalDecision, Approvals } from "../values/approval.ts";
import { Desk } from "./desk.ts";

/**
 * Where calls wait for people. Give one to several pools of a job, so that a person sees all of them in one place.
 *
 * ```ts
 * const approvals = new ApprovalDesk();
 * yield* spawn(() => agentPool({ ...options, requireApproval: ["send_email"], approvals }));
 * approvals.approve(approvals.list()[0]!.id);
 * ```
 */
export class ApprovalDesk extends Desk<Approval, ApprovalDecision> implements Approvals {
  constructor() {
    super("approval");
  }

  approve(id: string): void {
    this.answer(id, { type: "approved" });
  }

  deny(id: string, reason?: string): void {
    this.answer(id, { type: "denied", reason });
  }
}

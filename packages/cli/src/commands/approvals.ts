import type { ApprovalView } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { paletteFor } from "../palette.ts";
import { oneLine } from "../printable.ts";
import { type StoreFlags, useStore } from "../record/use-store.ts";
import { reviewLine } from "../review-line.ts";

export interface ApprovalsFlags extends StoreFlags {
  readonly json?: boolean;
  /** Decided ones too. */
  readonly all?: boolean;
  readonly run?: string;
}

/** `pool approvals`: the calls that wait for people, oldest first. */
export function* approvalsCommand(io: Console, flags: ApprovalsFlags): Operation<ExitCode> {
  const store = yield* useStore(io, flags);
  const run = store && flags.run !== undefined ? yield* store.find(flags.run) : undefined;
  const filter = { open: flags.all !== true, ...(run === undefined ? {} : { run }) };
  const approvals = store ? yield* store.approvals.list(filter) : [];
  if (flags.json) io.out.write(`${JSON.stringify(approvals, null, 2)}\n`);
  else if (approvals.length === 0) io.err.write("No call waits for a person.\n");
  else for (const approval of approvals) io.out.write(linesOf(approval, paletteFor(io.stdout, io.env)));
  return EXIT.done;
}

function linesOf(approval: ApprovalView, palette: ReturnType<typeof paletteFor>): string {
  const { id, run, agent, tool, args, reason, reviews, state, decidedBy, denial } = approval;
  const decided = state === "open" ? "" : `  ${state}${decidedBy === null ? "" : ` by ${decidedBy}`}`;
  return [
    `${palette.bold(id)}  ${oneLine(`${tool} ${JSON.stringify(args)}`, 160)}${decided}`,
    palette.dim(`    ${oneLine(reason, 120)} · ${agent} of run ${run}`),
    ...reviews.map((review) => palette.dim(`    ${reviewLine(review)}`)),
    ...(denial === null ? [] : [palette.dim(`    ${oneLine(denial, 160)}`)]),
    "",
  ].join("\n");
}

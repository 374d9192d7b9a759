import { userInfo } from "node:os";
import type { ApprovalView, Store } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { oneLine } from "../printable.ts";
import { type StoreFlags, sameStore, storeReminder, useStore } from "../record/use-store.ts";
import { UsageError } from "../usage-error.ts";

export interface DecideFlags extends StoreFlags {
  readonly json?: boolean;
  /** What the model reads. */
  readonly reason?: string;
}

/** `pool approve`: lets a call run. */
export const approveCommand = (io: Console, id: string, flags: DecideFlags): Operation<ExitCode> =>
  decide(io, id, flags, (store) => store.approvals.approve(id, { by: whoIsThere() }));

/** `pool deny`: refuses a call. */
export const denyCommand = (io: Console, id: string, flags: DecideFlags): Operation<ExitCode> =>
  decide(io, id, flags, (store) =>
    store.approvals.deny(id, {
      by: whoIsThere(),
      ...(flags.reason === undefined ? {} : { reason: flags.reason }),
    }),
  );

function* decide(
  io: Console,
  id: string,
  flags: DecideFlags,
  how: (store: Store) => Operation<ApprovalView>,
): Operation<ExitCode> {
  if (id.trim() === "") throw new UsageError("Name an approval: pool approvals lists those that wait.");
  const store = yield* useStore(io, flags);
  if (!store) throw new UsageError("No run is on record here yet, and no call waits.");
  const approval = yield* how(store);
  const { run, tool, args, state } = approval;
  if (flags.json) io.out.write(`${JSON.stringify(approval, null, 2)}\n`);
  else {
    const { status } = yield* store.show(run);
    io.out.write(`${state}: ${oneLine(`${tool} ${JSON.stringify(args)}`, 160)}\n`);
    if (status !== "running")
      io.err.write(
        `To carry on with the run: pool resume ${run}${sameStore(flags)}${storeReminder(flags)}\n`,
      );
  }
  return EXIT.done;
}

function whoIsThere(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

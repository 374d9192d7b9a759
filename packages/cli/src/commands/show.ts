import type { RunView } from "@agentpool/journal";
import type { Operation } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Console } from "../io.ts";
import { paletteFor } from "../palette.ts";
import { named } from "../record/labels.ts";
import { runReport } from "../record/run-report.ts";
import { type StoreFlags, sameStore, storeReminder, useRecordedRun } from "../record/use-store.ts";
import { UsageError } from "../usage-error.ts";

export interface ShowFlags extends StoreFlags {
  readonly json?: boolean;
  /** Only this agent, with what its calls gave. */
  readonly agent?: string;
  /** Without the answer. `--no-brief`. */
  readonly brief?: boolean;
}

/** `pool show`: one run, with what every agent did. */
export function* showCommand(io: Console, meant: string, flags: ShowFlags): Operation<ExitCode> {
  const { store, run } = yield* useRecordedRun(io, flags, meant);
  const view = yield* store.show(run);
  if (flags.agent !== undefined && !view.agentViews.some(({ agent }) => agent === flags.agent))
    throw new UsageError(
      `There is no agent ${flags.agent} in run ${run}; it has ${named(view.agentViews.map(({ agent }) => agent))}.`,
    );
  if (flags.json) io.out.write(`${JSON.stringify(asked(view, flags), null, 2)}\n`);
  else {
    const width = Math.min(Math.max(io.stdout.columns ?? 120, 44), 160);
    const { agent, brief } = flags;
    const found = { flags: sameStore(flags), reminder: storeReminder(flags) };
    io.out.write(runReport(view, { palette: paletteFor(io.stdout, io.env), width, agent, brief, found }));
  }
  return EXIT.done;
}

/** A run without what was not asked for. */
function asked({ answer, ...view }: RunView, { agent, brief = true }: ShowFlags): object {
  const agentViews = view.agentViews.filter((one) => agent === undefined || one.agent === agent);
  return { ...view, ...(brief ? { answer } : {}), agentViews };
}

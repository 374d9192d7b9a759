import type { Command } from "commander";
import { until } from "effection";
import type { Invocation } from "./command-line.ts";
import type { ApprovalsFlags } from "./commands/approvals.ts";
import type { DecideFlags } from "./commands/decide.ts";
import type { Console } from "./io.ts";
import { APPROVALS, DECIDE } from "./recorded-help.ts";
import { withStoreFlags } from "./store-flags.ts";

/** Adds the commands by which people decide on calls that wait for them. */
export function addApprovalCommands(
  program: Command,
  io: Console,
  invoke: (invocation: Invocation) => void,
): void {
  withStoreFlags(program.command("approvals"))
    .description("List the calls that wait for people.")
    .option("--all", "decided ones too")
    .option("--run <run>", "only those of one run")
    .option("--json", "print an array")
    .addHelpText("after", APPROVALS)
    .action((flags: ApprovalsFlags) =>
      invoke(function* () {
        const { approvalsCommand } = yield* until(import("./commands/approvals.ts"));
        return yield* approvalsCommand(io, flags);
      }),
    );

  withStoreFlags(program.command("approve"))
    .description("Let a call run that waits for a person.")
    .argument("<id>", "its id, or how it begins; pool approvals lists them")
    .option("--json", "print the approval")
    .addHelpText("after", DECIDE)
    .action((id: string, flags: DecideFlags) =>
      invoke(function* () {
        const { approveCommand } = yield* until(import("./commands/decide.ts"));
        return yield* approveCommand(io, id, flags);
      }),
    );

  withStoreFlags(program.command("deny"))
    .description("Refuse a call that waits for a person.")
    .argument("<id>", "its id, or how it begins; pool approvals lists them")
    .option("-r, --reason <text>", "why; the model reads it")
    .option("--json", "print the approval")
    .addHelpText("after", DECIDE)
    .action((id: string, flags: DecideFlags) =>
      invoke(function* () {
        const { denyCommand } = yield* until(import("./commands/decide.ts"));
        return yield* denyCommand(io, id, flags);
      }),
    );
}

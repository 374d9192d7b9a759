import {
  describeOrigin,
  describeProblem,
  type Entry,
  keyName,
  loadHarness,
  loadProgram,
  unbuiltProblems,
} from "@agentpool/harness";
import { withoutPassword } from "@agentpool/journal";
import type { Operation } from "effection";
import stringWidth from "string-width";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type HarnessFlags, settingsOf } from "../harness-flags.ts";
import type { Console } from "../io.ts";
import { paletteFor } from "../palette.ts";
import { printable } from "../printable.ts";

export interface ConfigFlags extends HarnessFlags {
  readonly json?: boolean;
}

/** `pool config`: every value of the harness with where it came from. Checks the guards of its program as well. */
export function* configCommand(io: Console, flags: ConfigFlags): Operation<ExitCode> {
  const { file } = flags;
  const { out, err } = io;
  const harness = loadHarness({
    cwd: io.cwd,
    env: io.env,
    flags: settingsOf(flags),
    ...(file === undefined ? {} : { file }),
  });
  const rows = harness.entries.map((entry) => ({
    key: keyName(entry.path),
    value: shown(entry),
    from: entry.origins.map(describeOrigin),
  }));
  if (flags.json) out.write(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    const palette = paletteFor(io.stdout, io.env);
    const lines = rows.map(({ key, value, from }) => [
      printable(`${key}: ${JSON.stringify(value)}`),
      from.join(", "),
    ]);
    const width = Math.min(56, Math.max(...lines.map(([left]) => stringWidth(left!))));
    for (const [left, right] of lines)
      out.write(
        `${left}${" ".repeat(Math.max(0, width - stringWidth(left!)))}  ${palette.dim(`# ${right}`)}\n`,
      );
  }
  for (const notice of harness.notices) err.write(`${notice}\n`);
  for (const problem of unbuiltProblems(harness)) err.write(`${describeProblem(problem)}\n`);
  yield* loadProgram(harness);
  return EXIT.done;
}

/** Headers and environments may hold secrets, and a URL a password: neither is printed. */
function shown({ path, value }: Entry): unknown {
  if (path.includes("headers") || path.includes("env")) return "(hidden)";
  return typeof value === "string" ? withoutPassword(value) : value;
}

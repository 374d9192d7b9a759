import type { Command } from "commander";

/** The flags that say where runs are recorded. */
export const withStoreFlags = (command: Command): Command =>
  command
    .option(
      "-f, --file <path>",
      "the harness whose runs they are (default: harness.yml here, if there is one)",
    )
    .option("--store <url>", "where they are recorded: sqlite:PATH or postgres://…");

import type { ProgramContext } from "@agentpool/harness";
import { Ledger } from "@agentpool/research";
import type { Numbers } from "./effort.ts";
import { hooks, witness } from "./hooks.ts";

/** What every stage of the job is given. */
export interface Job {
  readonly question: string;
  /** Runs a pool with everything that harness.yml says; what its agents read is entered into the ledger. */
  readonly pool: ProgramContext["pool"];
  readonly numbers: Numbers;
  /** What agents have read: every quotation is compared with it. */
  readonly ledger: Ledger;
  /** The folder of the plans. */
  readonly plans: string;
}

export function jobOf({ pool, ...rest }: Omit<Job, "ledger">): Job {
  const ledger = new Ledger();
  return {
    ...rest,
    ledger,
    pool: (options) => pool({ hooks: [...hooks, witness(ledger)], ...options }),
  };
}

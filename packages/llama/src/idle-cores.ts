import { availableParallelism, loadavg } from "node:os";

/**
 * Cores that nobody else uses, as far as the load of the last minute tells; at least one.
 *
 * The threads of a batch wait for each other at every layer. One that has to share its core holds up all of them: on
 * two busy cores, two threads took 10 to 40 times as long as one. Where the system has no load average, all cores.
 */
export function idleCores(cores = availableParallelism(), load = loadavg()[0] ?? 0): number {
  return Math.max(1, Math.min(cores, Math.round(cores - load)));
}

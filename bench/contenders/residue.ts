import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** What a process holds: bytes of heap without garbage, and by kind the resources that keep it alive. */
export interface Holdings {
  readonly bytes: number;
  readonly resources: ReadonlyMap<string, number>;
  /** Undefined where the system does not say. */
  readonly descriptors: number | undefined;
}

export async function holdings(): Promise<Holdings> {
  // what was closed just now is gone after a turn or two of the event loop
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  const resources = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) resources.set(kind, (resources.get(kind) ?? 0) + 1);
  return { bytes: heapUsed + external, resources, descriptors: openDescriptors() };
}

function openDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/** How many resources and descriptors there are now that were not there before. */
export function left(before: Holdings, after: Holdings): number {
  let more = 0;
  for (const [kind, count] of after.resources) more += Math.max(0, count - (before.resources.get(kind) ?? 0));
  return more + Math.max(0, (after.descriptors ?? 0) - (before.descriptors ?? 0));
}

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Engine, Statement } from "../engine/engine.ts";
import { UnmetError } from "../engine/engine.ts";
import { LeaseError } from "../values/errors.ts";

/** Milliseconds after which a lease that is not renewed counts for nothing. */
export const LEASE_MS = 30_000;

/** The right to write a run. One process has it at a time. */
export interface Lease {
  readonly run: string;
  readonly owner: string;
}

/**
 * Takes the lease of a run. It is free where nobody has it, where it was not renewed in time, and where its owner was a
 * process of this machine that is no more. Throws {@link LeaseError} otherwise.
 */
export async function takeLease(engine: Engine, run: string, now: () => number): Promise<Lease> {
  const lease: Lease = { run, owner: crypto.randomUUID() };
  const [held] = await engine.all("select owner, place, expires_at from leases where run = ?", [run]);
  const place = String(held?.place ?? "");
  if (held && Number(held.expires_at) > now() && !isDead(place)) throw taken(run, place);
  try {
    await engine.write([
      {
        sql: `insert into leases (run, owner, place, expires_at) values (?, ?, ?, ?)
          on conflict (run) do update set owner = excluded.owner, place = excluded.place, expires_at = excluded.expires_at
          where leases.owner = ?`,
        params: [run, lease.owner, here(), now() + LEASE_MS, held?.owner ?? ""],
        changes: 1,
      },
    ]);
  } catch (error) {
    throw error instanceof UnmetError ? taken(run, undefined) : error;
  }
  return lease;
}

/** Keeps the lease; fails where it is lost. */
export const keepLease = ({ run, owner }: Lease, now: number): Statement => ({
  sql: "update leases set expires_at = ? where run = ? and owner = ?",
  params: [now + LEASE_MS, run, owner],
  changes: 1,
});

export const giveLease = ({ run, owner }: Lease): Statement => ({
  sql: "delete from leases where run = ? and owner = ?",
  params: [run, owner],
});

/** Whether whoever has a lease is still there, as far as can be told. */
export const isHeld = (place: string, expiresAt: number, now: number): boolean =>
  expiresAt > now && !isDead(place);

export const lostLease = (run: string): LeaseError =>
  new LeaseError(
    run,
    `Run ${run} was taken over by another process; nothing more of it is written from here.`,
  );

function taken(run: string, place: string | undefined): LeaseError {
  const [, , id] = place?.split(" ") ?? [];
  const who = id === undefined ? "another process" : `process ${id}`;
  return new LeaseError(run, `Run ${run} is running: ${who} has it.`, place);
}

/** This process: its machine, the part of the machine that its number counts in, its number, and when it began. */
const here = (): string =>
  [hostname(), processSpace(), process.pid, statusOf(process.pid)?.began ?? "-"].join(" ");

/** A process of this machine that has ended. Of other machines nothing is known. */
function isDead(place: string): boolean {
  const [host, space, id, began] = place.split(" ");
  if (host !== hostname() || space !== processSpace()) return false;
  try {
    process.kill(Number(id), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const now = statusOf(Number(id));
  if (!now) return false;
  // one that nobody has asked for its exit code is still listed; and numbers are given again
  return now.hasEnded || (began !== undefined && began !== "-" && began !== now.began);
}

/** What Linux says of a process; undefined on other systems. */
function statusOf(id: number): { readonly hasEnded: boolean; readonly began: string } | undefined {
  try {
    // its name comes before, in parentheses, and may have anything in it
    const [state = "", ...rest] = readFileSync(`/proc/${id}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { hasEnded: "ZX".includes(state), began: rest[18] ?? "-" };
  } catch {
    return undefined;
  }
}

/** Containers count their processes apart, and may share a name: on Linux the kernel tells them apart. */
function processSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
    return `${boot}/${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`;
  } catch {
    return "-";
  }
}

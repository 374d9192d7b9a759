import type { Holder, Ticket } from "./line.ts";

/**
 * Whether a call that waits for these tickets would, through any chain of delegation, wait for a call it runs under:
 * neither could ever go on.
 */
export function waitsForItself(holder: Holder, behind: readonly Ticket[]): boolean {
  if (holder.under.length === 0) return false;
  const seen = new Set<Ticket>();
  const rest = [...behind];
  for (let ticket = rest.pop(); ticket; ticket = rest.pop()) {
    if (holder.under.includes(ticket)) return true;
    if (seen.has(ticket)) continue;
    seen.add(ticket);
    rest.push(...ticket.behind);
    for (const delegate of ticket.delegates ?? []) rest.push(...delegate.tickets);
  }
  return false;
}

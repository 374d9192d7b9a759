import type { Operation } from "effection";
import { isClosing, isWithin, type Life, windingOf } from "../decisions/life.ts";
import { Wait } from "./wait.ts";

/** How a wait ended: with what it waited for, or because the run winds down. */
export type Woken<T> = { readonly type: "woken"; readonly value: T } | { readonly type: "withdrawn" };

const WITHDRAWN: { readonly type: "withdrawn" } = { type: "withdrawn" };

/**
 * The one place where calls wait. Whatever a call waits for, winding down answers it as withdrawn, and nothing that
 * is ending is woken.
 */
export class Parking {
  readonly #parked = new Set<{ readonly life: Life; withdraw(): void }>();

  /** How many wait. */
  get size(): number {
    return this.#parked.size;
  }

  /** Waits until `enter` wakes it. `enter` returns how to leave, and runs each time the operation does. */
  park<T>(life: Life, enter: (wake: (value: T) => void) => () => void): Operation<Woken<T>> {
    return new Wait<Woken<T>>((resolve) => {
      if (windingOf(life)) {
        resolve(WITHDRAWN);
        return () => {};
      }
      let early: Woken<T> | undefined; // over while it was still on its way in
      let inside = false;
      const end = (woken: Woken<T>): void => {
        if (inside) resolve(woken);
        else early ??= woken;
      };
      const entry = { life, withdraw: () => end(WITHDRAWN) };
      this.#parked.add(entry);
      const leave = enter((value) => {
        if (!isClosing(life)) end({ type: "woken", value });
      });
      inside = true;
      const depart = (): void => {
        this.#parked.delete(entry);
        leave();
      };
      if (!early) return depart;
      depart();
      resolve(early);
      return () => {};
    });
  }

  /** Answers every wait that belongs to `life`. */
  withdraw(life: Life): void {
    for (const entry of [...this.#parked])
      if (isWithin(entry.life, life) && !isClosing(entry.life)) entry.withdraw();
  }
}

import type { Mark, Prefix, Session } from "@agentpool/core";
import type { Operation } from "effection";
import { lastInCommon, stepsBetween } from "../conversation.ts";
import type { Chain } from "./chain.ts";
import type { OwnMessages } from "./own-messages.ts";

/** A session of one of the models, that holds a conversation as it stands at a mark of its own. */
export interface Footing {
  readonly index: number;
  readonly session: Session;
  /** The same for all sessions that were forked from one that was opened: they know each other's marks. */
  readonly root: object;
}

/** Where each place of a conversation is in the sessions that hold it. */
export class Marks {
  readonly #known = new WeakMap<Mark, WeakMap<object, Mark>>();

  note(place: Mark, { root, session }: Footing): void {
    let marks = this.#known.get(place);
    if (marks === undefined) {
      marks = new WeakMap();
      this.#known.set(place, marks);
    }
    if (!marks.has(root)) marks.set(root, session.mark());
  }

  of(place: Mark, { root }: Footing): Mark | undefined {
    return this.#known.get(place)?.get(root);
  }
}

/** What all sessions of a conversation and its forks know of its places and messages. */
export interface Told {
  readonly marks: Marks;
  readonly own: OwnMessages;
}

/** A conversation told to a model from its beginning. `start` is the place of the prefix alone. */
export function* toldFromStart(
  chain: Chain,
  index: number,
  prefix: Prefix,
  { start, end, ...told }: { readonly start: Mark; readonly end: Mark } & Told,
): Operation<Footing> {
  const session = yield* chain.models[index]!.open(prefix);
  const footing = { index, session, root: {} };
  told.marks.note(start, footing);
  yield* tell(footing, start, end, told);
  return footing;
}

/**
 * A conversation told to a model that holds a relative of it: what they have in common is forked, the rest is told.
 * Undefined where it is not known where they part.
 */
export function* toldFromFork(
  base: Footing,
  { at, end, ...told }: { readonly at: Mark; readonly end: Mark } & Told,
): Operation<Footing | undefined> {
  const parting = lastInCommon(at, end);
  const known = parting && told.marks.of(parting, base);
  if (parting === undefined || known === undefined) return undefined;
  const footing = { ...base, session: yield* base.session.fork() };
  yield* footing.session.rewind(known);
  yield* tell(footing, parting, end, told);
  return footing;
}

function* tell(footing: Footing, after: Mark, to: Mark, { marks, own }: Told): Operation<void> {
  for (const { mark, messages } of stepsBetween(after, to)) {
    yield* footing.session.append(own.toldTo(footing.index, messages));
    marks.note(mark, footing);
  }
}

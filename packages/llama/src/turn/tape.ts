import type { Delta } from "@agentpool/core";
import { plain, type Text } from "../chat/syntax.ts";
import type { Constraint } from "../native/kernel.ts";

/** What a turn asks of whoever runs it. Only `sample` is answered. */
export type Step =
  | { readonly type: "delta"; readonly delta: Delta }
  /** Put this at the end, as if the model had written it. */
  | { readonly type: "write"; readonly text: Text }
  /** Forget all that was written from this character on, and put this in its place. */
  | { readonly type: "rewrite"; readonly from: number; readonly text: Text | undefined }
  | { readonly type: "constrain"; readonly constraint: Constraint }
  | { readonly type: "sample" };

export type Sampled =
  | { readonly type: "text"; readonly text: string }
  /** The model ended its turn. */
  | { readonly type: "end" }
  /** No more tokens may be written. */
  | { readonly type: "spent" };

export type Steps<T> = Generator<Step, T, Sampled | undefined>;

/** What a turn writes, as steps, and how far it has come. */
export class Tape {
  #at = 0;

  /** Characters written so far. */
  get at(): number {
    return this.#at;
  }

  *write(text: Text): Steps<void> {
    this.#at += plain(text).length;
    yield { type: "write", text };
  }

  *rewrite(from: number, text?: Text): Steps<void> {
    this.#at = from + (text === undefined ? 0 : plain(text).length);
    yield { type: "rewrite", from, text };
  }

  /** Forgets what was written beyond a place, if anything was. */
  *trim(from: number): Steps<void> {
    if (this.#at > from) yield* this.rewrite(from);
  }

  *constrain(constraint: Constraint): Steps<void> {
    yield { type: "constrain", constraint };
  }

  *sample(): Steps<Sampled> {
    const sampled = (yield { type: "sample" })!;
    if (sampled.type === "text") this.#at += sampled.text.length;
    return sampled;
  }
}

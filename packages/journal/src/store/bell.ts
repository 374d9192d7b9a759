import { createQueue, type Operation } from "effection";

/** Rung by many, heard by one: however often it was rung meanwhile, it is heard once. */
export class Bell {
  readonly #rings = createQueue<void, never>();
  #rung = false;

  ring(): void {
    if (this.#rung) return;
    this.#rung = true;
    this.#rings.add();
  }

  *rung(): Operation<void> {
    yield* this.#rings.next();
    this.#rung = false;
  }
}

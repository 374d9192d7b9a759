/** Lets nobody go on before all have arrived. */
export class Barrier {
  #missing: number;
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  constructor(count: number) {
    this.#missing = count;
  }

  /** The last to arrive does something first. */
  arrive(last: () => void): Promise<void> {
    if (--this.#missing === 0) {
      last();
      this.#open();
    }
    return this.#opened;
  }
}

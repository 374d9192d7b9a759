/** Tokens that go into a sequence. */
export interface Part {
  readonly sequence: number;
  /** The place of the first of them in the sequence. */
  readonly from: number;
  readonly tokens: readonly number[];
  /** Whether the next token will be asked for. */
  readonly sample: boolean;
}

/** What is asked of the next tokens. */
export interface Constraint {
  /** GBNF that the text from here on has to follow. Absent: any text. */
  readonly grammar?: string;
  /** The turn may not end here. */
  readonly goOn?: boolean;
}

/** Chooses tokens for one session: it has a random state, and a place in a grammar. */
export interface Sampler {
  constrain(constraint: Constraint, seed: number): void;
  free(): void;
}

/**
 * A loaded model with its sequences: the native side, as little of it as is needed. Nothing here may be called while
 * anything else is under way, save for several `sample`s at once: that is the engine's duty.
 */
export interface Kernel {
  readonly sequences: number;
  /** Tokens that each sequence can hold. */
  readonly window: number;
  /** Most tokens of one `decode`. */
  readonly batch: number;
  /** Computes the parts together. Gives for each that will be sampled the place to sample from. */
  decode(parts: readonly Part[]): Promise<readonly (number | undefined)[]>;
  sample(place: number, sampler: Sampler): Promise<number>;
  /** Makes a sequence hold what another holds. */
  copy(from: number, to: number): Promise<void>;
  /** Forgets what a sequence holds beyond some tokens. False where the model cannot: then it has forgotten all. */
  cut(sequence: number, length: number): boolean;
  /** Chooses tokens at a temperature; at 0 always the likeliest. */
  sampler(temperature: number): Sampler;
  close(): Promise<void>;
}

/** After how many turns in a row that only repeat earlier calls an agent is spoken to, and stopped. */
export interface RepetitionLimits {
  /** Default 3. */
  readonly warn: number;
  /** Default 5. */
  readonly stop: number;
  /** Names of tools that may be repeated, beside those marked `repeatable`. */
  readonly exempt: readonly string[];
}

export const defaultRepetition: RepetitionLimits = { warn: 3, stop: 5, exempt: [] };

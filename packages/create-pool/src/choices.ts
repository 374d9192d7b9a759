import type { PackageManager } from "./package-manager.ts";

/** What the command was told: by flags, and by the answers to its questions. */
export interface Choices {
  /** Where the project is written, from the working folder. */
  readonly folder: string;
  /** The project's name in its package.json. */
  readonly name: string;
  readonly template: string;
  readonly model: string;
  readonly packageManager: PackageManager;
  readonly git: boolean;
  readonly install: boolean;
}

/** What is left to ask, or to fill in. */
export type Given = Partial<Choices> & { readonly yes?: boolean };

/** The folder where nobody names one. */
export const DEFAULT_FOLDER = "my-pool";

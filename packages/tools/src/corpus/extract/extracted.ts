import type { Heading } from "../corpus.ts";

/** What is read out of a file. */
export type Extracted =
  | {
      readonly type: "text";
      /** Undefined where the document does not say. */
      readonly title: string | undefined;
      readonly lines: readonly string[];
      readonly headings: readonly Heading[];
      /** Something that a reader has to know: pages without text, wrapped lines. */
      readonly notice?: string;
    }
  /** Not a document after all; `reason` completes "was left out:". */
  | { readonly type: "nothing"; readonly reason: string };

export const nothing = (reason: string): Extracted => ({ type: "nothing", reason });

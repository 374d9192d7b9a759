/** Kinds of values that a redactor knows by itself. */
export type RedactedKind = "email" | "phone" | "card" | "iban" | "key";

/** What a model may not see. */
export interface Redactor {
  /** Default: all of them. */
  readonly kinds?: readonly RedactedKind[];
  /** More patterns by name: placeholders carry the name. All that a pattern finds is hidden, with or without the `g` flag. */
  readonly patterns?: { readonly [name: string]: RegExp };
  /** More values in a text, by name of their kind. */
  find?(text: string): readonly { readonly kind: string; readonly value: string }[];
  /** Sees each value when it first gets its placeholder: where the mapping is put on record. Never in events. */
  record?(entry: { readonly placeholder: string; readonly value: string; readonly kind: string }): void;
}

import type { RedactedKind, Redactor } from "../values/redactor.ts";

/** Values a model may not see and the placeholders it reads instead: `[EMAIL_1]`. Stable: a value keeps its own. */
export class Redaction {
  readonly #redactor: Redactor;
  readonly #patterns: readonly (readonly [kind: string, pattern: RegExp])[];
  readonly #placeholders = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    const kinds = redactor.kinds ?? (Object.keys(KNOWN) as RedactedKind[]);
    this.#patterns = [
      ["text", PLACEHOLDER], // what looks like a placeholder and is none must not be taken for one
      ...Object.entries(redactor.patterns ?? {}),
      ...kinds.map((kind) => [kind, KNOWN[kind]] as const),
    ];
  }

  /** The text as the model may read it. */
  hide(text: string): string {
    const found = this.#redactor.find?.(text) ?? [];
    // both passes look at the text as it came: placeholders are put in at the end, longest values first
    const values = new Map<string, string>();
    for (const { kind, value } of found) if (value !== "") values.set(value, kind);
    for (const [kind, pattern] of this.#patterns)
      for (const [value] of text.matchAll(pattern))
        if (value !== "" && !values.has(value) && isReally(kind, value)) values.set(value, kind);
    if (values.size === 0) return text;
    const longestFirst = [...values.keys()].sort((a, b) => b.length - a.length);
    const any = new RegExp(
      longestFirst.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"),
      "g",
    );
    return text.replace(any, (value) => this.#placeholder(value, values.get(value)!));
  }

  /** The text with the real values back in. `json`: it is JSON source, so they are escaped. */
  reveal(text: string, form: "text" | "json" = "text"): string {
    return text.replace(PLACEHOLDER, (placeholder) => {
      const value = this.#values.get(placeholder);
      if (value === undefined) return placeholder;
      return form === "json" ? JSON.stringify(value).slice(1, -1) : value;
    });
  }

  /** Every text in a piece of plain data. */
  hideIn<T>(data: T): T {
    if (typeof data === "string") return this.hide(data) as T;
    if (Array.isArray(data)) return data.map((item) => this.hideIn(item)) as T;
    if (typeof data !== "object" || data === null || ArrayBuffer.isView(data) || data instanceof URL)
      return data;
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, this.hideIn(value)])) as T;
  }

  #placeholder(value: string, kind: string): string {
    const known = this.#placeholders.get(value);
    if (known !== undefined) return known;
    const name = kind.toUpperCase().replace(/[^A-Z]/g, "") || "VALUE";
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const placeholder = `[${name}_${count}]`;
    this.#placeholders.set(value, placeholder);
    this.#values.set(placeholder, value);
    this.#redactor.record?.({ placeholder, value, kind });
    return placeholder;
  }
}

const PLACEHOLDER = /\[[A-Z]+_\d+\]/g;

const KNOWN: { readonly [K in RedactedKind]: RegExp } = {
  key: /\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{16,}\b/g,
  email: /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g,
  card: /\b(?:\d[ -]?){12,18}\d\b/g,
  phone:
    /(?<![\p{L}\p{N}])(?:\+|00)\d[\d ()./-]{6,18}\d(?!\p{N})|(?<!\p{N})\(?0\d{2,4}\)?[ /-]?\d{3,}[\d -]{0,8}\d(?!\p{N})/gu,
};

/** Numbers that only look like cards or accounts are left alone. */
function isReally(kind: string, value: string): boolean {
  if (kind === "card") return luhn(value.replace(/\D/g, ""));
  if (kind === "iban") return mod97(value.replace(/ /g, ""));
  return true;
}

/** The check digit of card numbers: [ISO/IEC 7812](https://en.wikipedia.org/wiki/Luhn_algorithm). */
function luhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The check digits of an account: [ISO 13616](https://en.wikipedia.org/wiki/International_Bank_Account_Number). */
function mod97(iban: string): boolean {
  let rest = 0;
  for (const char of `${iban.slice(4)}${iban.slice(0, 4)}`)
    for (const digit of String(Number.parseInt(char, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

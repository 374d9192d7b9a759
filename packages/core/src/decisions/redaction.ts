import { ConfigurationError } from "../values/errors.ts";
import type { RedactedKind, Redactor } from "../values/redactor.ts";
import { unknownName } from "./names.ts";
import { occurrences } from "./occurrences.ts";
import { FINDERS, type Finder, matching } from "./personal-data.ts";
import { type Found, Spans } from "./spans.ts";

/** Values a model may not see and the placeholders it reads instead: `[EMAIL_1]`. Stable: a value keeps its own. */
export class Redaction {
  readonly #redactor: Redactor;
  readonly #note: (entry: Placeholder) => void;
  readonly #finders: readonly (readonly [kind: string, find: Finder])[];
  /** By type too: a number must come back as one. */
  readonly #placeholders = { string: new Map<string, string>(), number: new Map<string, string>() };
  readonly #values = new Map<string, Hidden>();
  readonly #counts = new Map<string, number>();

  /**
   * `note` is told of each placeholder, for the run's record. Throws {@link ConfigurationError} where a redactor cannot
   * work.
   */
  constructor(redactor: Redactor, note: (entry: Placeholder) => void = () => {}) {
    checkRedactor(redactor);
    this.#redactor = redactor;
    this.#note = note;
    const kinds = redactor.kinds ?? KINDS;
    this.#finders = [
      ["text", matching(PLACEHOLDER)], // what looks like a placeholder and is none must not be taken for one
      ...Object.entries(redactor.patterns ?? {}).map(
        ([name, pattern]) => [name, matching(everywhere(pattern))] as const,
      ),
      ...kinds.map((kind) => [kind, FINDERS[kind]] as const),
    ];
  }

  /** The text as the model may read it. */
  hide(text: string): string {
    const found = this.#find(text);
    if (found.length === 0) return text;
    const parts: string[] = [];
    let at = 0;
    for (const { kind, from, to } of found) {
      parts.push(text.slice(at, from), this.#placeholder("string", text.slice(from, to), kind));
      at = to;
    }
    return parts.join("") + text.slice(at);
  }

  /** The text with the real values back in. `json`: it is JSON source, so they are escaped, and numbers are numbers. */
  reveal(text: string, form: "text" | "json" = "text"): string {
    return text.replace(form === "json" ? IN_JSON : PLACEHOLDER, (found) => {
      const whole = found.startsWith('"');
      const hidden = this.#values.get(whole ? found.slice(1, -1) : found);
      if (!hidden) return found;
      if (form === "text") return hidden.value;
      if (whole && hidden.type === "number") return hidden.value;
      const escaped = JSON.stringify(hidden.value);
      return whole ? escaped : escaped.slice(1, -1);
    });
  }

  /** Every text, key and number in a piece of JSON. */
  hideIn<T>(data: T): T {
    if (typeof data === "string") return this.hide(data) as T;
    if (typeof data === "number") return this.#hideNumber(data) as T;
    if (Array.isArray(data)) return data.map((item) => this.hideIn(item)) as T;
    if (typeof data !== "object" || data === null || ArrayBuffer.isView(data) || data instanceof URL)
      return data;
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [this.hide(key), this.hideIn(value)]),
    ) as T;
  }

  /** Every placeholder in a piece of JSON. */
  revealIn<T>(data: T): T {
    return JSON.parse(this.reveal(JSON.stringify(data), "json")) as T;
  }

  /** A number is hidden where it is one of the values as a whole: what is left of it would be none. */
  #hideNumber(data: number): unknown {
    const text = String(data);
    const [found] = this.#find(text);
    const isWhole = found?.from === 0 && found.to === text.length;
    return isWhole ? this.#placeholder("number", text, found.kind) : data;
  }

  /** What is to be hidden in a text: what `find` names, then what patterns find, one's own first. */
  #find(text: string): readonly Found[] {
    const spans = new Spans(text);
    const named = new Map<string, string>();
    for (const { kind, value } of this.#redactor.find?.(text) ?? []) if (value !== "") named.set(value, kind);
    if (named.size > 0)
      for (const span of occurrences(text, named.keys()))
        spans.add(named.get(text.slice(span.from, span.to))!, [span]);
    for (const [kind, find] of this.#finders) spans.add(kind, find(text));
    return spans.inOrder();
  }

  #placeholder(type: Hidden["type"], value: string, kind: string): string {
    const known = this.#placeholders[type].get(value);
    if (known !== undefined) return known;
    const name = kind.toUpperCase().replace(/[^A-Z]/g, "") || "VALUE";
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const placeholder = `[${name}_${count}]`;
    this.#placeholders[type].set(value, placeholder);
    this.#values.set(placeholder, { type, value });
    this.#note({ placeholder, value, form: type, kind });
    this.#redactor.record?.({ placeholder, value, kind });
    return placeholder;
  }

  /** A placeholder that is on record: it goes on to stand for its value, and the next one is counted after it. */
  recall({ placeholder, value, form }: Omit<Placeholder, "kind">): void {
    this.#placeholders[form].set(value, placeholder);
    this.#values.set(placeholder, { type: form, value });
    const [, name, count] = /^\[([A-Z]+)_(\d+)\]$/.exec(placeholder) ?? [];
    if (name !== undefined) this.#counts.set(name, Math.max(this.#counts.get(name) ?? 0, Number(count)));
  }
}

/** A placeholder and what it stands for. */
export interface Placeholder {
  readonly placeholder: string;
  readonly value: string;
  readonly form: "string" | "number";
  readonly kind: string;
}

/** What a placeholder stands for: a text, or the digits of a number. */
interface Hidden {
  readonly type: "string" | "number";
  readonly value: string;
}

/** A pattern that finds all there is, whatever its flags say about where to look. */
const everywhere = ({ source, flags }: RegExp): RegExp =>
  new RegExp(source, `${flags.replace(/[gy]/g, "")}g`);

const SETTINGS = ["kinds", "patterns", "find", "record"];

function checkRedactor(redactor: Redactor): void {
  if (typeof redactor !== "object" || redactor === null)
    throw new ConfigurationError(
      `redact: found ${redactor === null ? "null" : typeof redactor}; accepted is { ${SETTINGS.join(", ")} }.`,
    );
  for (const name of Object.keys(redactor))
    if (!SETTINGS.includes(name))
      throw new ConfigurationError(`redact: ${unknownName("setting", name, SETTINGS)}`);
  for (const kind of redactor.kinds ?? [])
    if (!KINDS.includes(kind))
      throw new ConfigurationError(`redact.kinds: ${unknownName("kind", kind, KINDS)}`);
  for (const [name, pattern] of Object.entries(redactor.patterns ?? {}))
    if (!(pattern instanceof RegExp))
      throw new ConfigurationError(
        `redact.patterns.${name}: found ${typeof pattern}; accepted is a regular expression.`,
      );
  for (const name of ["find", "record"] as const)
    if (redactor[name] !== undefined && typeof redactor[name] !== "function")
      throw new ConfigurationError(`redact.${name}: found ${typeof redactor[name]}; accepted is a function.`);
}

const PLACEHOLDER = /\[[A-Z]+_\d+\]/g;
/** One in JSON source: with its quotes where it is the whole of a text that is no key. */
const IN_JSON = /(?<!\\)"\[[A-Z]+_\d+\]"(?!\s*:)|\[[A-Z]+_\d+\]/g;

const KINDS = Object.keys(FINDERS) as RedactedKind[];

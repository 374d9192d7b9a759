/** A node of a grammar in GBNF, as far as this package writes it. */
type Node =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "set";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [number, number])[];
    }
  | { readonly type: "rule"; readonly name: string }
  | { readonly type: "all" | "one"; readonly of: readonly Node[] }
  | { readonly type: "repeat"; readonly what: Node; readonly least: number; readonly most: number };

export type Gbnf = ReadonlyMap<string, Node>;

/** Reads a grammar. Throws on what it does not understand. */
export function parseGbnf(text: string): Gbnf {
  return new Map(
    text.split("\n").map((line) => {
      const [, name, body] = /^([a-z0-9-]+) ::= (.*)$/.exec(line) ?? [];
      if (name === undefined || body === undefined) throw new Error(`not a rule: ${line}`);
      const reader = new Reader(body);
      const node = reader.alternatives();
      if (!reader.done) throw new Error(`left over in ${name}: ${reader.rest}`);
      return [name, node];
    }),
  );
}

/** A text of the grammar, chosen by random numbers from 0 to below 1. */
export function textOf(grammar: Gbnf, random: () => number): string {
  const write = (node: Node): string => {
    switch (node.type) {
      case "text":
        return node.text;
      case "set":
        return characterOf(node, random);
      case "rule":
        return write(ruleOf(grammar, node.name));
      case "all":
        return node.of.map(write).join("");
      case "one":
        return write(node.of[Math.floor(random() * node.of.length)]!);
      case "repeat": {
        // Mostly short, now and then as long as it may be.
        const most = random() < 0.1 ? node.most : Math.min(node.most, node.least + 3);
        const count = node.least + Math.floor(random() * (most - node.least + 1));
        return Array.from({ length: count }, () => write(node.what)).join("");
      }
    }
  };
  return write({ type: "rule", name: "root" });
}

/** Whether a text is one of the grammar's. */
export function matches(grammar: Gbnf, text: string): boolean {
  const ends = (node: Node, from: number): Set<number> => {
    switch (node.type) {
      case "text":
        return new Set(text.startsWith(node.text, from) ? [from + node.text.length] : []);
      case "set": {
        const code = text.codePointAt(from);
        const inside = code !== undefined && node.ranges.some(([low, high]) => code >= low && code <= high);
        return new Set(
          code !== undefined && inside !== node.negated ? [from + String.fromCodePoint(code).length] : [],
        );
      }
      case "rule":
        return ends(ruleOf(grammar, node.name), from);
      case "all": {
        let places = new Set([from]);
        for (const each of node.of) places = new Set([...places].flatMap((place) => [...ends(each, place)]));
        return places;
      }
      case "one":
        return new Set(node.of.flatMap((each) => [...ends(each, from)]));
      case "repeat": {
        let places = new Set([from]);
        const found = new Set(node.least === 0 ? places : []);
        for (let count = 1; count <= node.most && places.size > 0; count++) {
          places = new Set([...places].flatMap((place) => [...ends(node.what, place)]));
          if (count >= node.least) for (const place of places) found.add(place);
        }
        return found;
      }
    }
  };
  return ends({ type: "rule", name: "root" }, 0).has(text.length);
}

function ruleOf(grammar: Gbnf, name: string): Node {
  const rule = grammar.get(name);
  if (rule === undefined) throw new Error(`there is no rule ${name}`);
  return rule;
}

function characterOf({ negated, ranges }: Extract<Node, { type: "set" }>, random: () => number): string {
  for (;;) {
    const [low, high] = negated ? [32, 0x2fff] : ranges[Math.floor(random() * ranges.length)]!;
    const code = low + Math.floor(random() * (high - low + 1));
    if (!negated || !ranges.some(([from, to]) => code >= from && code <= to))
      return String.fromCodePoint(code);
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  get done(): boolean {
    this.#space();
    return this.rest === "";
  }

  alternatives(): Node {
    const of = [this.#sequence()];
    while (this.#take("|")) of.push(this.#sequence());
    return of.length === 1 ? of[0]! : { type: "one", of };
  }

  #sequence(): Node {
    const of: Node[] = [];
    for (;;) {
      this.#space();
      if (this.rest === "" || /^[|)]/.test(this.rest)) return { type: "all", of };
      of.push(this.#repeated(this.#single()));
    }
  }

  #single(): Node {
    if (this.#take("(")) {
      const inside = this.alternatives();
      if (!this.#take(")")) throw new Error(`no closing bracket: ${this.rest}`);
      return inside;
    }
    if (this.#take('"')) {
      let text = "";
      while (!this.rest.startsWith('"')) text += String.fromCodePoint(this.#character());
      this.#at++;
      return { type: "text", text };
    }
    if (this.#take("[")) {
      const negated = this.rest.startsWith("^");
      if (negated) this.#at++;
      const ranges: [number, number][] = [];
      while (!this.rest.startsWith("]")) {
        const low = this.#character();
        if (!/^-[^\]]/.test(this.rest)) ranges.push([low, low]);
        else {
          this.#at++;
          ranges.push([low, this.#character()]);
        }
      }
      this.#at++;
      return { type: "set", negated, ranges };
    }
    const name = /^[a-z0-9-]+/.exec(this.rest)?.[0];
    if (name === undefined) throw new Error(`not understood: ${this.rest}`);
    this.#at += name.length;
    return { type: "rule", name };
  }

  #repeated(what: Node): Node {
    if (this.rest.startsWith("?")) {
      this.#at++;
      return { type: "repeat", what, least: 0, most: 1 };
    }
    const counts = /^\{(\d+)(?:,(\d+))?\}/.exec(this.rest);
    if (counts === null) return what;
    this.#at += counts[0].length;
    const least = Number(counts[1]);
    return { type: "repeat", what, least, most: Number(counts[2] ?? least) };
  }

  /** A character of a text or a set, escapes included. */
  #character(): number {
    const escaped = /^\\(?:x([0-9a-fA-F]{2})|(.))/.exec(this.rest);
    if (escaped === null) {
      const code = this.#text.codePointAt(this.#at);
      if (code === undefined) throw new Error("the grammar ends inside of a text");
      this.#at += String.fromCodePoint(code).length;
      return code;
    }
    this.#at += escaped[0].length;
    if (escaped[1] !== undefined) return Number.parseInt(escaped[1], 16);
    return ({ n: "\n", r: "\r", t: "\t" }[escaped[2]!] ?? escaped[2]!).codePointAt(0)!;
  }

  #space(): void {
    while (this.rest.startsWith(" ")) this.#at++;
  }

  #take(what: string): boolean {
    this.#space();
    if (!this.rest.startsWith(what)) return false;
    this.#at += what.length;
    return true;
  }
}

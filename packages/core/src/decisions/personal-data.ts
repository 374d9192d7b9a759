import type { RedactedKind } from "../values/redactor.ts";
import type { Span } from "./spans.ts";

/** Where values of a kind are in a text. In time linear in the text, whatever is in it. */
export type Finder = (text: string) => Iterable<Span>;

/** What a pattern finds. It has the `g` flag. */
export const matching =
  (pattern: RegExp): Finder =>
  (text) =>
    [...text.matchAll(pattern)].map(({ 0: value, index }) => ({ from: index, to: index + value.length }));

/** How the values of each kind that is known are found. */
export const FINDERS: { readonly [K in RedactedKind]: Finder } = {
  key: matching(/\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{16,}\b/g),
  // begins where such a run begins: a long one without an @ is looked at once, not from each of its characters
  email: matching(/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu),
  iban: findAccounts,
  card: findCards,
  phone: matching(
    /(?<![\p{L}\p{N}])(?:\+|00)\d[\d ()./-]{6,18}\d(?!\p{N})|(?<!\p{N})\(?0\d{2,4}\)?[ /-]?\d{3,}[\d -]{0,8}\d(?!\p{N})/gu,
  ),
};

/**
 * Card numbers, by their check digit: groups of digits that are 13 to 19 together, from each group on the longest. Other
 * numbers may stand beside them.
 */
function* findCards(text: string): Generator<Span> {
  for (const { 0: run, index: start } of text.matchAll(/\b\d+(?:[ -]\d+)*\b/g)) {
    const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({ digits, from: start + index }));
    for (const [first, { from }] of groups.entries()) {
      let digits = "";
      let to = from;
      for (let at = first; at < groups.length && digits.length < 19; at++) {
        const group = groups[at]!;
        digits += group.digits;
        if (digits.length >= 13 && digits.length <= 19 && luhn(digits)) to = group.from + group.digits.length;
      }
      if (to > from) yield { from, to };
    }
  }
}

/** Accounts, by their check digits. What follows in capitals is none of theirs. */
function* findAccounts(text: string): Generator<Span> {
  const pattern = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    let value = match[0];
    while (value.includes(" ") && !mod97(value.replace(/ /g, "")))
      value = value.slice(0, value.lastIndexOf(" "));
    const found = mod97(value.replace(/ /g, ""));
    if (found) yield { from: match.index, to: match.index + value.length };
    pattern.lastIndex = match.index + (found ? value.length : 4);
  }
}

/** The check digit of card numbers: [ISO/IEC 7812](https://en.wikipedia.org/wiki/Luhn_algorithm). */
function luhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, twice = false; at >= 0; at--, twice = !twice) {
    const digit = Number(digits[at]) * (twice ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
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

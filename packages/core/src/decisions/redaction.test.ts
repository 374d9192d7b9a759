import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Redactor } from "../values/redactor.ts";
import { Redaction } from "./redaction.ts";

const secret = fc.constantFrom(
  "ann@example.com",
  "4111 1111 1111 1111",
  "+49 30 1234567",
  "DE89 3704 0044 0532 0130 00",
  'a "quoted\\" one\nof two lines',
  "[EMAIL_1]",
  "ORD-7",
  "ORD-77",
);
const text = fc
  .array(fc.oneof(secret, fc.string({ maxLength: 8 })), { maxLength: 8 })
  .map((parts) => parts.join(" "));
const redactor: Redactor = {
  patterns: { order: /ORD-\d+/, code: /\b\d{6}\b/ },
  find: (text) =>
    text.includes("quoted") ? [{ kind: "name", value: 'a "quoted\\" one\nof two lines' }] : [],
};

const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer({ min: 0, max: 999_999 }),
    fc.constantFrom(4111111111111111, 0.5, -3, true, false, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

describe("redaction", () => {
  it("gives back every text as it was, whatever is in it", () => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const redaction = new Redaction(redactor);
        for (const one of texts) expect(redaction.reveal(redaction.hide(one))).toBe(one);
      }),
    );
  });

  it("gives back every piece of JSON as it was: texts, keys and numbers of their own type", () => {
    fc.assert(
      fc.property(data, (value) => {
        const redaction = new Redaction(redactor);
        const source = JSON.stringify(redaction.hideIn(value));
        expect(JSON.parse(redaction.reveal(source, "json"))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("leaves none of the values in what a model reads", () => {
    fc.assert(
      fc.property(data, (value) => {
        const source = JSON.stringify(new Redaction(redactor).hideIn(value));
        for (const hidden of ["ann@example.com", "4111 1111 1111 1111", "4111111111111111", "ORD-", "quoted"])
          expect(source).not.toContain(hidden);
      }),
    );
  });

  it("gives equal values equal placeholders, and other values others", () => {
    const redaction = new Redaction(redactor);
    expect(redaction.hide("ORD-7 ORD-77 ORD-7")).toBe("[ORDER_1] [ORDER_2] [ORDER_1]");
    expect(redaction.hide("ORD-77")).toBe("[ORDER_2]");
  });

  const hidden = (text: string): string => new Redaction({}).hide(text);

  it("finds a card number beside other numbers, and leaves alone what only looks like one", () => {
    expect(hidden("item 7 4111 1111 1111 1111 12/27")).toBe("item 7 [CARD_1] 12/27");
    expect(hidden("4111-1111-1111-1111 5500 0000 0000 0004")).toBe("[CARD_1] [CARD_2]");
    expect(hidden("378282246310005.")).toBe("[CARD_1].");
    expect(hidden("1234 5678 9012 3456 and order 4111111111111112")).toBe(
      "1234 5678 9012 3456 and order 4111111111111112",
    );
  });

  it("finds an account before words in capitals and before another account", () => {
    expect(hidden("ES91 2100 0418 4502 0005 1332 CODE")).toBe("[IBAN_1] CODE");
    expect(hidden("ES9121000418450200051332 DE89 3704 0044 0532 0130 00 ES91 2100")).toBe(
      "[IBAN_1] [IBAN_2] ES91 2100",
    );
    expect(hidden("DE00 3704 0044 0532 0130 00")).not.toContain("IBAN");
  });

  it("takes a pattern of one's own by its own word, whatever it is called", () => {
    expect(new Redaction({ kinds: [], patterns: { card: /C\d+/ } }).hide("C1 C22")).toBe("[CARD_1] [CARD_2]");
  });
});

import { expect, test } from "vitest";
import { secretsRedactor } from "./redact-secrets.ts";

const redact = (text: string, env: Record<string, string> = {}): string =>
  JSON.parse(secretsRedactor(env)(JSON.stringify(text))) as string;

test.each([
  ["Authorization: Bearer abcdef123456", "Authorization: Bearer [secret]"],
  [`key sk-${"ab12".repeat(6)} in use`, "key [secret] in use"],
  ["ghp_0123456789abcdefghijklmnop", "[secret]"],
  ["AKIAABCDEFGHIJKLMNOP.", "[secret]."],
  ["postgres://ada:hunter22@db/runs", "postgres://ada:[secret]@db/runs"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "[secret]"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[secret]"],
])("%s is kept as %s", (text, kept) => {
  expect(redact(text)).toBe(kept);
});

test.each(["https://example.com:8080/a@b", "a bearer of news", "task-sk-1", "the key is under the mat"])(
  "%s stays",
  (text) => {
    expect(redact(text)).toBe(text);
  },
);

test("values of variables that hold secrets are taken out, the longest first; short ones and paths are none", () => {
  const env = {
    ACME_API_KEY: "abc-123-def-456",
    ACME_TOKEN: "abc-123-def-456-and-more",
    DB_PASSWORD: 'a"b\\c d1234',
    SOME_KEY: "short",
    KEY_FILE: "not-a-secret-at-all",
    SSH_KEY: "/home/ada/.ssh/id",
    MONKEY: "bananas-are-good-1",
  };
  expect(redact("abc-123-def-456-and-more, abc-123-def-456", env)).toBe("[secret], [secret]");
  expect(redact('x a"b\\c d1234 y', env)).toBe("x [secret] y");
  const rest = "short not-a-secret-at-all /home/ada/.ssh/id bananas-are-good-1";
  expect(redact(rest, env)).toBe(rest);
});

test("a value is found in arguments too, which are JSON in JSON, and what is left is JSON", () => {
  const redact = secretsRedactor({ API_KEY: 'a"very\\secret\nvalue' });
  const input = JSON.stringify({ key: 'a"very\\secret\nvalue', other: 1 });
  const clean = JSON.parse(redact(JSON.stringify({ input }))) as { input: string };
  expect(JSON.parse(clean.input)).toEqual({ key: "[secret]", other: 1 });
});

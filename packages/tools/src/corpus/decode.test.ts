import { expect, test } from "vitest";
import { decode, linesOf } from "./decode.ts";

const words = "Größe – naïve Œuvre";
const textOf = (bytes: Uint8Array, declared?: string) => {
  const decoded = decode(bytes, declared);
  return decoded.type === "text" ? decoded.text : decoded.type;
};
const wide = (text: string, order: "le" | "be", mark: boolean) => {
  const bytes = Buffer.from((mark ? "\ufeff" : "") + text, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};

test("UTF-8 is read with and without a mark, the mark taken off", () => {
  expect(textOf(Buffer.from(words))).toBe(words);
  expect(textOf(Buffer.from(`\ufeff${words}`))).toBe(words);
});

test("UTF-16 is read by its mark, or by its empty bytes", () => {
  expect(textOf(wide(words, "le", true))).toBe(words);
  expect(textOf(wide(words, "be", true))).toBe(words);
  expect(textOf(wide("plain words", "le", false))).toBe("plain words");
  expect(textOf(wide("plain words", "be", false))).toBe("plain words");
});

test("what is not UTF-8 is read as Windows-1252, or as it declares", () => {
  expect(textOf(Uint8Array.from([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x96, 0x20, 0x80]))).toBe("Größe – €");
  expect(textOf(Uint8Array.from([0xb3]), "iso-8859-2")).toBe("ł");
  expect(textOf(Uint8Array.from([0xe4]), "no-such-encoding")).toBe("ä");
});

test("binary is not text, nor is UTF-32", () => {
  expect(textOf(Uint8Array.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]))).toBe("binary");
  expect(textOf(Uint8Array.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x41]))).toBe("binary");
  expect(textOf(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]))).toBe("binary");
  expect(textOf(Uint8Array.from({ length: 200 }, (_, index) => (index * 7 + 1) % 255 || 1))).toBe("binary");
});

test("lines end in every way that lines end", () => {
  expect(linesOf("a\nb\r\nc\rd\n")).toEqual(["a", "b", "c", "d"]);
  expect(linesOf("a\n\nb")).toEqual(["a", "", "b"]);
});

import { describe, expect, it } from "vitest";
import { resultOf, ServedFailure } from "./result.ts";

const text = (said: string) => ({ type: "text" as const, text: said });

describe("what a model reads of a result", () => {
  it("is its text, one part after another", () => {
    expect(resultOf({ content: [text("a"), text("b")] })).toBe("a\n\nb");
    expect(resultOf({ content: [] })).toBe("");
  });

  it("is its structure, once, where the text says the same again", () => {
    const structuredContent = { b: 1, a: [true] };
    expect(resultOf({ content: [text('{"a": [true], "b": 1}')], structuredContent })).toEqual(
      structuredContent,
    );
    expect(resultOf({ content: [], structuredContent })).toEqual(structuredContent);
  });

  it("is both where they say different things", () => {
    expect(resultOf({ content: [text("Two.")], structuredContent: { n: 2 } })).toEqual({
      structured: { n: 2 },
      text: "Two.",
    });
  });

  it("says what cannot be shown: pictures, sounds and files", () => {
    const data = Buffer.from("1234").toString("base64");
    expect(
      resultOf({
        content: [
          { type: "image", mimeType: "image/png", data },
          { type: "audio", mimeType: "audio/wav", data },
          { type: "resource", resource: { uri: "file:///a.bin", blob: data } },
        ],
      }),
    ).toBe(
      [
        "[image, image/png, 4 bytes: it cannot be shown here]",
        "[audio, audio/wav, 4 bytes: it cannot be shown here]",
        "[resource file:///a.bin, unknown kind, 4 bytes: it cannot be shown here]",
      ].join("\n\n"),
    );
  });

  it("is a failure where it says so, in its words, or that it has none", () => {
    expect(() => resultOf({ content: [text("No such file.")], isError: true })).toThrow(ServedFailure);
    expect(() => resultOf({ content: [text("No such file.")], isError: true })).toThrow("No such file.");
    expect(() => resultOf({ content: [], isError: true })).toThrow("does not say why");
  });
});

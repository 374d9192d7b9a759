import { type Operation, until } from "effection";
import { zipSync } from "fflate";
import type Mammoth from "mammoth";
import { messageOf } from "../message-of.ts";
import { archive } from "./archive.ts";
import { type Extracted, nothing } from "./extracted.ts";
import { html } from "./html.ts";

/** A Word document, by way of [mammoth](https://github.com/mwilliamson/mammoth.js)'s HTML: its styles give the headings. */
export function* docx(bytes: Uint8Array): Operation<Extracted> {
  const packed = archive(bytes, (name) => /\.(xml|rels)$/i.test(name));
  if (packed.type === "broken") return nothing(`a DOCX that cannot be opened (${packed.reason})`);
  try {
    const { default: mammoth } = yield* until(import("mammoth"));
    // Packed again from what was unpacked within limits: what the file says about its sizes may be untrue.
    const buffer = Buffer.from(zipSync(Object.fromEntries(packed.files), { level: 0 }));
    const { value } = yield* until(mammoth.convertToHtml({ buffer }, { convertImage: noImage(mammoth) }));
    return html(value);
  } catch (error) {
    return nothing(`a DOCX that cannot be opened (${messageOf(error)})`);
  }
}

const noImage = ({ images }: typeof Mammoth) => images.imgElement(async () => ({ src: "" }));

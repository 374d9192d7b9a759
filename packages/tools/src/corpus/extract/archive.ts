import { unzipSync } from "fflate";
import { messageOf } from "../message-of.ts";

/** Files of a ZIP by name; or that it is broken, or would unpack to more than it may. */
export type Archive =
  | { readonly type: "files"; readonly files: ReadonlyMap<string, Uint8Array> }
  | { readonly type: "broken"; readonly reason: string };

/** What a document may unpack to: a small file can hold gigabytes of nothing. */
const mostBytes = 256 * 1024 * 1024;

/** Unpacks the files of a ZIP whose names `wanted` accepts. */
export function archive(bytes: Uint8Array, wanted: (name: string) => boolean): Archive {
  try {
    let size = 0;
    unzipSync(bytes, {
      filter: ({ originalSize }) => {
        size += originalSize;
        return false;
      },
    });
    if (size > mostBytes)
      return { type: "broken", reason: `it would unpack to ${Math.round(size / 1024 / 1024)} MB` };
    return {
      type: "files",
      files: new Map(Object.entries(unzipSync(bytes, { filter: ({ name }) => wanted(name) }))),
    };
  } catch (error) {
    return { type: "broken", reason: messageOf(error) };
  }
}

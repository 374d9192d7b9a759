import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeNoiseModel } from "@agentpool/llama/testing";
import { ensure, type Operation, resource } from "effection";

/** A model with random weights in the shape of one of 135 million parameters, as 8-bit integers. It never ends a turn. */
export const useModelFile = (): Operation<string> =>
  resource(function* (provide) {
    const folder = mkdtempSync(join(tmpdir(), "agentpool-bench-"));
    yield* ensure(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "noise-135m.gguf");
    writeNoiseModel(path, { shape: "smol135m", type: "q8_0" });
    yield* provide(path);
  });

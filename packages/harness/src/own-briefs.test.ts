import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useCorpus } from "@agentpool/tools";
import { run } from "effection";
import { expect, test } from "vitest";
import { ownBriefs } from "./own-briefs.ts";

test("briefs of earlier runs are no documents, unless they are asked for; other reports are", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "agentpool-briefs-"));
  mkdirSync(join(cwd, "reports"));
  for (const name of ["a.md", "reports/20260131-142530-9f3a1c.md", "reports/annual.md"])
    writeFileSync(join(cwd, name), "# Alpha\n\nbeta");
  const documents = (paths: string) =>
    run(function* () {
      const corpus = yield* useCorpus({ cwd, paths, index: ":memory:", ignore: ownBriefs([paths]) });
      return corpus.documents.map(({ path }) => path);
    });
  expect(await documents(".")).toEqual(["a.md", "reports/annual.md"]);
  expect(await documents("reports")).toEqual(["reports/20260131-142530-9f3a1c.md", "reports/annual.md"]);
});

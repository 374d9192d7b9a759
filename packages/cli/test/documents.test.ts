import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadHarness } from "@agentpool/harness";
import ts from "typescript";
import { expect, it } from "vitest";
import { folderWith } from "./pool.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const docs = join(root, "docs");
const documents = [
  "README.md",
  "packages/harness/README.md",
  ...(existsSync(docs) ? readdirSync(docs, { recursive: true, encoding: "utf8" }) : [])
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

interface Block {
  readonly name: string;
  readonly code: string;
}

/** The code blocks of one language in the documents, named by file and line. */
const blocks = (language: string): Block[] =>
  documents.flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8");
    return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => ({
      name: `${document}:${text.slice(0, match.index).split("\n").length}`,
      code: match[1]!,
    }));
  });

it("every TypeScript block in the documents compiles", { timeout: 120_000 }, () => {
  // As if they were files beside this one, where the workspace's packages are found.
  const here = dirname(fileURLToPath(import.meta.url));
  const files = new Map(
    blocks("ts").map(({ name, code }, i) => [join(here, `block-${i}.ts`), { name, code }]),
  );
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), (path) =>
    readFileSync(path, "utf8"),
  );
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, target) => {
    const block = files.get(path);
    return block
      ? ts.createSourceFile(path, `${block.code}\nexport {};\n`, target)
      : getSourceFile(path, target);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const errors = [...files].flatMap(([path, { name }]) => {
    const source = program.getSourceFile(path)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
  });
  expect(errors).toEqual([]);
  expect(files.size).toBeGreaterThan(0);
});

it.each(blocks("yaml").map(({ name, code }) => [name, code]))("the harness.yml at %s loads", (_, code) => {
  const harness = loadHarness({ cwd: folderWith({ "harness.yml": code }) });
  expect(harness.entries.some(({ origins }) => origins[0]?.type === "file")).toBe(true);
});

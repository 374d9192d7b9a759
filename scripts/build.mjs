// npm run build: each package's `dist` as it is published, and the templates that create-pool ships.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { packages } from "./packages.mjs";
import { root } from "./root.mjs";
import { run } from "./run.mjs";
import { setup } from "./setup.mjs";
import { shipTemplates } from "./ship-templates.mjs";

/** Builds all packages at once: one compiler run, since they import one another as source. */
export async function build() {
  await setup();
  const output = mkdtempSync(join(root, "node_modules", ".build-"));
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    // Types are checked by `npm run check`.
    const code = await run(
      process.execPath,
      [tsc, "-p", "tsconfig.build.json", "--noCheck", "--outDir", output],
      {
        cwd: root,
        stdio: ["ignore", 2, 2],
      },
    );
    if (code !== 0) throw new Error(`The build failed: tsc ended with code ${code}.`);
    for (const { name, folder } of packages()) {
      const made = join(output, name, "src");
      if (!existsSync(made)) continue;
      for (const file of readdirSync(made, { recursive: true, encoding: "utf8" }))
        if (file.endsWith(".d.ts")) withJsEndings(join(made, file));
      rmSync(join(folder, "dist"), { recursive: true, force: true });
      renameSync(made, join(folder, "dist"));
    }
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
  shipTemplates();
}

/** The compiler leaves the endings of imports in declarations as they are, and published are no `.ts` files. */
function withJsEndings(path) {
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/((?:from|import)[\s(]*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'));
}

if (import.meta.filename === process.argv[1]) await build();

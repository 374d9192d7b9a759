// npm run pack [-- folder]: builds, and packs every package as it would be published.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "./build.mjs";
import { packages, tarballOf } from "./packages.mjs";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

/** Packs every package into `folder`, which is emptied first. Gives each tarball by the package's name. */
export async function pack(folder) {
  await build();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const code = await run(
    "npx",
    ["-y", packageManager, "--recursive", "--filter=./packages/*", "pack", `--pack-destination=${folder}`],
    { cwd: root, stdio: ["ignore", "ignore", 2] },
  );
  if (code !== 0) throw new Error(`Packing failed: pnpm ended with code ${code}.`);
  const files = readdirSync(folder);
  return Object.fromEntries(
    packages().map(({ manifest }) => {
      const file = tarballOf(manifest);
      if (!files.includes(file)) throw new Error(`Packing left no ${file}.`);
      return [manifest.name, join(folder, file)];
    }),
  );
}

if (import.meta.filename === process.argv[1]) {
  const folder = resolve(process.argv[2] ?? join(root, "node_modules/.packages"));
  for (const [name, file] of Object.entries(await pack(folder))) console.log(`${name}\t${file}`);
}

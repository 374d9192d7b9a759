// node scripts/use-tarballs.mjs <project> <folder>: the project takes this repository's packages from the tarballs in a
// folder, as `npm run pack` leaves them, in place of the registry. For what is not published yet.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packages, tarballOf } from "./packages.mjs";

export function useTarballs(project, folder) {
  const file = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const groups = [manifest.dependencies ?? {}, manifest.devDependencies ?? {}];
  const ours = new Map(packages().map((one) => [one.manifest.name, one.manifest]));
  const tarballs = {};
  const need = (names) => {
    for (const name of names) {
      if (!ours.has(name) || tarballs[name] !== undefined) continue;
      tarballs[name] = `file:${resolve(folder, tarballOf(ours.get(name)))}`;
      need(Object.keys(ours.get(name).dependencies ?? {}));
    }
  };
  need(groups.flatMap(Object.keys));
  const direct = (name) => groups.some((group) => group[name] !== undefined);
  for (const group of groups)
    for (const name of Object.keys(group)) if (tarballs[name] !== undefined) group[name] = tarballs[name];
  // What the packages need of one another, in the words of npm, pnpm and yarn.
  manifest.overrides = Object.fromEntries(
    Object.entries(tarballs).map(([name, tarball]) => [name, direct(name) ? `$${name}` : tarball]),
  );
  manifest.pnpm = { overrides: tarballs };
  manifest.resolutions = tarballs;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.filename === process.argv[1]) useTarballs(process.argv[2], process.argv[3]);

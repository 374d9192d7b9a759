// node scripts/use-tarballs.mjs <project> <folder>: the project takes this repository's packages from the tarballs in a
// folder, as `npm run pack` leaves them, in place of the registry. For what is not published yet.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export function useTarballs(project, folder) {
  const file = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  const tarballs = Object.fromEntries(
    readdirSync(folder).flatMap((name) => {
      const [, short] = /^agentpool-(.+)-\d+\.\d+\.\d+[^-]*\.tgz$/.exec(name) ?? [];
      return short === undefined ? [] : [[`@agentpool/${short}`, `file:${resolve(folder, name)}`]];
    }),
  );
  const direct = new Set();
  for (const group of ["dependencies", "devDependencies"])
    for (const name of Object.keys(manifest[group] ?? {}))
      if (tarballs[name] !== undefined) {
        manifest[group][name] = tarballs[name];
        direct.add(name);
      }
  // What the packages need of one another, in the words of npm, pnpm and yarn.
  manifest.overrides = Object.fromEntries(
    Object.entries(tarballs).map(([name, tarball]) => [name, direct.has(name) ? `$${name}` : tarball]),
  );
  manifest.pnpm = { overrides: tarballs };
  manifest.resolutions = tarballs;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.filename === process.argv[1]) useTarballs(process.argv[2], process.argv[3]);

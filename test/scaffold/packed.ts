import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { succeed } from "./shell.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Packed {
  readonly name: string;
  readonly tarball: string;
  /** Where it is unpacked. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly type?: string;
  readonly engines?: { readonly node?: string };
  readonly bin?: { readonly [name: string]: string };
  readonly exports?: { readonly [path: string]: string | { readonly [condition: string]: string } };
  readonly dependencies?: { readonly [name: string]: string };
}

/** Packs every package as it would be published, into a folder, and unpacks each beside its tarball. */
export async function packAll(folder: string): Promise<Packed[]> {
  const { stdout } = await succeed(process.execPath, ["scripts/pack.mjs", folder], { cwd: root });
  const pairs = stdout.split("\n").flatMap((line) => {
    const [name, tarball] = line.split("\t");
    return name && tarball ? [{ name, tarball }] : [];
  });
  return Promise.all(pairs.map(unpack));
}

async function unpack({ name, tarball }: { name: string; tarball: string }): Promise<Packed> {
  const into = tarball.replace(/\.tgz$/, "");
  mkdirSync(into);
  await succeed("tar", ["-xzf", tarball, "-C", into], { cwd: root });
  const folder = join(into, "package");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  return { name, tarball, folder, files, manifest };
}

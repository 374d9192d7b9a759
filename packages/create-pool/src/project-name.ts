import { basename, resolve } from "node:path";
import { UsageError } from "./errors.ts";

/** As npm takes them: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const shape = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const longest = 214;
const taken = new Set(["node_modules", "favicon.ico"]);

/** Why a text cannot be the name of a package; undefined where it can. */
export function whyNoName(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > longest) return `it has ${name.length} characters, at most ${longest} are taken`;
  if (taken.has(name)) return "npm uses that name itself";
  if (!shape.test(name))
    return "a package's name has lower-case letters, digits, -, _ and ., and begins with a letter or a digit";
  return undefined;
}

/** The name of the project in a folder, unless it is given. Throws {@link UsageError} with a name that would do. */
export function nameOf(folder: string, cwd: string, given?: string): string {
  const name = given ?? basename(resolve(cwd, folder));
  const why = whyNoName(name);
  if (why === undefined) return name;
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[-._]+|[-._]+$/g, "")
    .slice(0, longest);
  const instead =
    whyNoName(near) === undefined ? `; ${given === undefined ? "--name " : ""}${near} would do` : "";
  throw new UsageError(`"${name.slice(0, 300)}" cannot be the project's name: ${why}${instead}.`);
}

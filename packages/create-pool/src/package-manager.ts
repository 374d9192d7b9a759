export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn"] as const;
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** The one that called this command, as it names itself to those it calls; else npm. */
export function callingPackageManager(userAgent: string | undefined): PackageManager {
  const name = /^\w+/.exec(userAgent ?? "")?.[0];
  return PACKAGE_MANAGERS.find((known) => known === name) ?? "npm";
}

/** A script of a project's package.json, as it is called. */
export const scriptOf = (packageManager: PackageManager, script: "start" | "test"): string =>
  `${packageManager} ${script}`;

import { expect, it } from "vitest";
import { callingPackageManager } from "./package-manager.ts";

it.each([
  ["npm/11.19.1 node/v20.20.2 linux x64 workspaces/false", "npm"],
  ["pnpm/10.34.9 npm/? node/v20.20.2 linux x64", "pnpm"],
  ["yarn/1.22.22 npm/? node/v20.20.2 linux x64", "yarn"],
  ["bun/1.2.0 npm/? node/v22.6.0 linux x64", "npm"],
  ["", "npm"],
  [undefined, "npm"],
])("who calls itself %j is answered in the words of %s", (userAgent, name) => {
  expect(callingPackageManager(userAgent)).toBe(name);
});

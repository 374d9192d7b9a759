import { fileURLToPath } from "node:url";

/** The folder of this workspace. */
export const root = fileURLToPath(new URL("..", import.meta.url));

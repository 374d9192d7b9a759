export { EXIT, type ExitCode } from "./exit-code.ts";
export type { Io } from "./io.ts";
export { leave } from "./leave.ts";
export { main } from "./main.ts";

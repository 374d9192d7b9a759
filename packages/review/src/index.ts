export type { Depth } from "./effort.ts";
export type { ReviewAt, ReviewModels } from "./models.ts";
export type { Restarts, ReviewerOptions } from "./options.ts";
export { reviewer } from "./reviewer.ts";

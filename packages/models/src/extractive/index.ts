export { type ExtractiveOptions, extractive } from "./extractive.ts";

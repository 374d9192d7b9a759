import type { Brief } from "./brief.ts";

/** A brief as JSON text: what `reports/<run>.json` holds. */
export const briefJson = (brief: Brief): string => `${JSON.stringify(brief, undefined, 2)}\n`;

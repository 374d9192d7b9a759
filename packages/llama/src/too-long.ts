import type { Loaded } from "./loaded.ts";

/** Says that a session cannot hold so many tokens. */
export const tooLong = ({ name, engine }: Loaded, tokens: number): string =>
  `${name}: the conversation has ${tokens} tokens, and a session holds ${engine.window}; raise contextWindow, or start ` +
  "with less";

import { corpusAtSize } from "./corpus-at-size.ts";
import { freshTokens } from "./fresh-tokens.ts";
import { journal } from "./journal.ts";
import { keyedGuard } from "./keyed-guard.ts";
import { liveAgents } from "./live-agents.ts";
import { llamaAgents } from "./llama.ts";
import type { Row } from "./row.ts";
import { turnAsync } from "./turn-async.ts";
import { turnOperation } from "./turn-operation.ts";
import { turnsLong } from "./turns-long.ts";

/** All rows, in groups that are measured together because they have peers in common. */
export const groups: readonly (readonly Row[])[] = [
  [turnAsync, turnOperation],
  [turnsLong],
  [keyedGuard],
  [liveAgents],
  [corpusAtSize],
  [llamaAgents],
  [freshTokens],
  [journal],
];

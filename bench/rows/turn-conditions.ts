import { count } from "../format/count.ts";
import type { Scale } from "../scale.ts";

export const turnConditions = ({ turns: { agents, turns } }: Scale): string =>
  `${count(agents)} agents × ${turns} turns, scripted model, three cohort guards, events read`;

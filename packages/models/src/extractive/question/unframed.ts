const question =
  "(?=(?:(?:in|on|at|by|for|from|to|of|with|about)\\s+)?(?:what|which|who|whom|whose|when|where|why|how)\\b)";

/** What people say before they ask. */
const before = new RegExp(
  `^\\s*(?:${[
    "(?:hi|hello|hey|good\\s+(?:morning|day|evening)|dear\\s+\\p{L}+)(?:\\s+(?:there|all|everyone))?\\s*[,.!]+",
    `(?:please,?\\s+)?(?:(?:could|can|would|will)\\s+you\\s+(?:please\\s+)?)?(?:tell|show|explain\\s+to|remind)\\s+me,?\\s+(?:please,?\\s+)?${question}`,
    `i(?:\\s+would|['’]d)\\s+like\\s+to\\s+(?:know|find\\s+out|learn),?\\s+${question}`,
    `i\\s+(?:(?:want|need|wish|try|am\\s+trying)\\s+to\\s+(?:know|find\\s+out|learn)|wonder),?\\s+${question}`,
    `i(?:\\s+am|['’]m|\\s+was)\\s+(?:wondering|curious),?\\s+${question}`,
    `(?:do\\s+you\\s+(?:happen\\s+to\\s+)?know|any\\s+idea),?\\s+${question}`,
  ].join("|")})\\s*`,
  "iu",
);

/** And after it. */
const after =
  /(?:[,.!;\s]\s*(?:please|thanks(?:\s+a\s+lot|\s+in\s+advance)?|thank\s+you(?:\s+(?:very|so)\s+much|\s+in\s+advance)?)[\s.!?]*|\n\s*(?:(?:best|kind)\s+(?:regards|wishes)|best|regards|cheers|sincerely)\s*,?\s*(?:\n[^\n?]{0,60})?)$/iu;

/** Thanks are said in so many characters. */
const ending = 120;
/** A greeting, a request and a few more. */
const layers = 4;

/**
 * A question without greetings, thanks and what leads up to it: “Could you tell me who wrote Emma, please?” asks who
 * wrote Emma. Their words would be searched for.
 */
export function unframed(text: string): string {
  let rest = text.trim();
  for (let layer = 0; layer < layers; layer++) {
    const opened = rest.replace(before, "");
    const split = Math.max(0, opened.length - ending);
    const next = opened.slice(0, split) + opened.slice(split).replace(after, "").trimEnd();
    if (next === "" || next === rest) return rest;
    rest = next;
  }
  return rest;
}

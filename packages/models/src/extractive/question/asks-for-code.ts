const named =
  /\b(?:code|snippets?|syntax|commands?|config(?:uration)?|yaml|json|scripts?|regex|signature|APIs?|import|export)\b/i;
const made =
  /\bhow (?:do|can|could|should|would|to)\b.{0,20}\b(?:call|use|import|install|run|write|configure|set|define|declare|invoke|create|make|add)\b/i;
/** `a call()`, `an_identifier`, `anotherOne`, or what stands in backticks. */
const identifier = /`|\w\(\)|\b[a-z]+_[a-z]\w*|\b[a-z]+[A-Z]\w*/;

/** Whether a line of code, of configuration or of a table may be the answer. */
export const asksForCode = (question: string): boolean =>
  named.test(question) || made.test(question) || identifier.test(question);

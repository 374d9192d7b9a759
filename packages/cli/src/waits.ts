/** What agents and calls wait for, by the reason on record. */
const WAITS: Readonly<Record<string, string>> = {
  retry: "a retry",
  equal_call: "an equal call",
  rate_limit: "the model's rate limit",
  overloaded: "the model, which is overloaded",
  unavailable: "the model, which is unavailable",
  approval: "a person",
  client: "its client",
  room: "room in the model's memory",
};

export const waitsFor = (reason: string): string => `waits for ${WAITS[reason] ?? reason}`;

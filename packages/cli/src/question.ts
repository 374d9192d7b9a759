import { UsageError } from "./usage-error.ts";

/** Most characters of a question. What is longer is a document, and belongs into the corpus. */
export const LONGEST_QUESTION = 8_000;

/** The question to ask: what the command was given, else the harness's. Throws {@link UsageError} where it is none. */
export function questionOf(given: string | undefined, configured: string | undefined): string {
  const question = given ?? configured;
  if (question === undefined)
    throw new UsageError(
      'There is no question: ask one, as in `pool run "What is a guard?"`, or set `question` in harness.yml.',
    );
  const text = question.trim();
  if (text === "")
    throw new UsageError('The question is empty; ask one, as in `pool run "What is a guard?"`.');
  if (!/[\p{L}\p{N}]/u.test(text)) throw new UsageError("The question has no word in it.");
  if (text.length > LONGEST_QUESTION)
    throw new UsageError(
      `The question has ${text.length} characters and may have ${LONGEST_QUESTION}; put long texts into documents and ask about them.`,
    );
  return text;
}

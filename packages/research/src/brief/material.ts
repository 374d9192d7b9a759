import type { Answer, Finding } from "./findings.ts";

/** What a synthesis is sent. */
export interface Material {
  readonly text: string;
  /** Estimated tokens of the text. */
  readonly tokens: number;
  /** Findings that did not fit: those with the lowest confidence. */
  readonly left: readonly Finding[];
}

export interface MaterialOptions {
  readonly question: string;
  readonly answers: readonly Answer[];
  readonly limits: { readonly quotations: number; readonly words: number };
  /** Most tokens that the text may take. */
  readonly tokens: number;
}

/** A token is about four bytes of English. */
const bytesPerToken = 4;
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

/**
 * The reports as one message, no longer than `tokens`. The findings that would make it longer are left out, the least
 * sure first, but of each question the best one is the last to go.
 */
export function material({ question, answers, limits, tokens }: MaterialOptions): Material {
  const order = answers
    .flatMap(({ findings }) => findings.map((finding, place) => ({ finding, place })))
    .sort((a, b) => Number(a.place > 0) - Number(b.place > 0) || sureness(b.finding) - sureness(a.finding))
    .map(({ finding }) => finding);
  let kept = order.length;
  while (true) {
    const ids = new Set(order.slice(0, kept).map(({ id }) => id));
    const text = textOf(question, answers, limits, ids);
    const size = tokensOf(text);
    if (size <= tokens || kept === 0) return { text, tokens: size, left: order.slice(kept) };
    // By the share that is too much, and at least one: a few rounds at any size.
    kept = Math.max(0, Math.min(kept - 1, Math.floor((kept * tokens) / size)));
  }
}

const sureness = ({ confidence }: Finding): number => confidence ?? 0.5;

function textOf(
  question: string,
  answers: readonly Answer[],
  limits: MaterialOptions["limits"],
  ids: ReadonlySet<string>,
): string {
  const reports = answers.map(({ question: asked, findings, result, notFound }) => ({
    question: asked,
    ...(findings.length === 0 && result !== "" ? { result } : {}),
    ...(notFound === undefined ? {} : { notFound }),
    findings: findings
      .filter(({ id }) => ids.has(id))
      .map(({ id, text, source, heading, lines, confidence }) => ({
        id,
        quote: text,
        source,
        ...(heading === "" ? {} : { heading }),
        lines,
        ...(confidence === undefined ? {} : { confidence }),
      })),
  }));
  const head =
    `Question: ${question.replace(/\s+/g, " ")}\n\n` +
    `Write the brief: at most ${limits.quotations} quotations of ${limits.words} words together.\n\n`;
  return `${head}\`\`\`json\n${JSON.stringify({ question, limits, reports }, undefined, 1)}\n\`\`\``;
}

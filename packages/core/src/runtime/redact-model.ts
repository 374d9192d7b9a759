import type { Operation, Stream } from "effection";
import { redactPrefix, redactPrompt, redactSchema } from "../decisions/redact-prompt.ts";
import type { Redaction } from "../decisions/redaction.ts";
import type { Delta, GenerateRequest, Mark, Model, Prompt, Session, Turn } from "../values/model.ts";

/**
 * A model that reads placeholders where there are values it may not see. Everybody else has the real ones: a turn's
 * calls, text and reasoning come back with them in. Deltas keep the placeholders, which may be cut in two.
 */
export const redactModel = (model: Model, redaction: Redaction): Model => ({
  id: model.id,
  // Some models know it once they are loaded.
  get contextWindow() {
    return model.contextWindow;
  },
  get capacity() {
    return model.capacity;
  },
  price: model.price,
  get lasting() {
    return model.lasting;
  },
  *open(prefix) {
    return new RedactedSession(yield* model.open(redactPrefix(prefix, redaction)), redaction);
  },
});

/** A model that several of a tree's redactions apply to. */
export const redacted = (model: Model, redactions: readonly Redaction[]): Model =>
  redactions.reduce(redactModel, model);

class RedactedSession implements Session {
  readonly #session: Session;
  readonly #redaction: Redaction;

  constructor(session: Session, redaction: Redaction) {
    this.#session = session;
    this.#redaction = redaction;
  }
  get tokens(): number {
    return this.#session.tokens;
  }
  append(messages: Prompt): Operation<void> {
    return this.#session.append(redactPrompt(messages, this.#redaction));
  }
  *fork(): Operation<Session> {
    return new RedactedSession(yield* this.#session.fork(), this.#redaction);
  }
  *rest(): Operation<void> {
    if (this.#session.rest) yield* this.#session.rest();
  }
  mark(): Mark {
    return this.#session.mark();
  }
  rewind(to: Mark): Operation<void> {
    return this.#session.rewind(to);
  }
  goOnWith(model: string): void {
    this.#session.goOnWith?.(model);
  }
  generate(request: GenerateRequest): Stream<Delta, Turn> {
    const redaction = this.#redaction;
    const output = request.output && redactSchema(request.output, redaction);
    const stream = this.#session.generate({ ...request, output });
    return {
      *[Symbol.iterator]() {
        const deltas = yield* stream;
        return {
          *next() {
            const item = yield* deltas.next();
            return item.done ? { done: true, value: revealTurn(item.value, redaction) } : item;
          },
        };
      },
    };
  }
}

const revealTurn = (turn: Turn, redaction: Redaction): Turn => ({
  ...turn,
  reasoning: turn.reasoning && redaction.reveal(turn.reasoning),
  text: turn.text && redaction.reveal(turn.text, isJson(turn.text) ? "json" : "text"),
  calls: turn.calls.map((call) => ({ ...call, input: redaction.reveal(call.input, "json") })),
  ...(turn.kept && { kept: redaction.revealIn(turn.kept) }),
});

/** An answer in a form that was asked for is JSON: what is put in must not break it. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

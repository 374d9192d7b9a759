import { DeadlineError, type GenerateRequest, type Model, type Prefix, useClock } from "@agentpool/core";
import { type Operation, scoped, useScope } from "effection";
import { type FailureKind, failureKind } from "../failure/model-failure.ts";
import { readTurn } from "../read-turn.ts";

/** Whether a model answers. */
export type Probed =
  | { readonly type: "answers"; readonly ms: number }
  | { readonly type: "fails"; readonly ms: number; readonly kind: FailureKind; readonly reason: string };

const prefix: Prefix = { system: "You are asked whether you are there.", tools: [] };
const request: GenerateRequest = { tools: [], maxTokens: 16 };

/**
 * Asks a model for a few words, to see whether it answers: its client, its address, its key and its name are right. A
 * hosted model charges for some twenty tokens.
 *
 * ```ts
 * const probed = yield* probe(resolveModel("ollama/qwen3:8b"));
 * if (probed.type === "fails") console.error(probed.reason);
 * ```
 *
 * Never throws. Of several models in a list it is the first that can be used that answers: probe each by itself.
 */
export function* probe(model: Model, { timeoutMs = 15_000 } = {}): Operation<Probed> {
  const clock = yield* useClock();
  const start = clock.now();
  try {
    yield* scoped(function* () {
      const scope = yield* useScope();
      const disarm = clock.at(start + timeoutMs, () => {
        scope.run(tooLong(timeoutMs)).catch(() => {});
      });
      try {
        const session = yield* model.open(prefix);
        yield* session.append([{ role: "user", content: [{ type: "text", text: "Are you there?" }] }]);
        yield* readTurn(session.generate(request));
      } finally {
        disarm();
      }
    });
    return { type: "answers", ms: clock.now() - start };
  } catch (error) {
    const late = error instanceof DeadlineError;
    return {
      type: "fails",
      ms: clock.now() - start,
      kind: late ? "interrupted" : failureKind(error),
      reason: late ? `${model.id}: no answer within ${timeoutMs} ms` : (error as Error).message,
    };
  }
}

const tooLong = (ms: number) =>
  function* (): Operation<never> {
    throw new DeadlineError(ms);
  };

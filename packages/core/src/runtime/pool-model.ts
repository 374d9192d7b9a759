import { Redaction } from "../decisions/redaction.ts";
import { ConfigurationError } from "../values/errors.ts";
import type { Model } from "../values/model.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import type { RecordedPool } from "../values/recorded.ts";
import type { Redactor } from "../values/redactor.ts";
import type { Pool } from "./pool-state.ts";
import { redacted } from "./redact-model.ts";
import type { Run } from "./run.ts";

/** The model of a pool, its own or the one around, as its redactions let it see. */
export interface PoolModel {
  readonly model: Model;
  /** Of each pool from the outermost in. */
  readonly redactions: readonly Redaction[];
}

export function modelOf(
  options: AgentPoolOptions,
  outer: Pool | undefined,
  { key, run, past }: { readonly key: string; readonly run: Run; readonly past: RecordedPool | undefined },
): PoolModel {
  const added = options.redact ? [redactionOf(options.redact, key, run, past)] : [];
  const redactions = [...(outer?.redactions ?? []), ...added];
  const model = options.model ? redacted(options.model, redactions) : outer && redacted(outer.model, added);
  if (!model)
    throw new ConfigurationError(
      'model: missing; give the pool a model, for example resolveModel("extractive").',
    );
  return { model, redactions };
}

/** A redaction whose placeholders are on record: models are shown the same ones again. */
function redactionOf(redactor: Redactor, pool: string, run: Run, past: RecordedPool | undefined): Redaction {
  const redaction = new Redaction(redactor, (entry) => {
    if (run.recorder) run.note({ type: "record:redacted", pool, ...entry });
  });
  for (const entry of past?.redacted ?? []) redaction.recall(entry);
  return redaction;
}

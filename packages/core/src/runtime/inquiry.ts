import type { BoundTool } from "../decisions/bind.ts";
import { copy } from "../decisions/copy.ts";
import type { Snapshot } from "../decisions/view.ts";
import type { Agent } from "../values/agent.ts";
import type { CallInfo } from "../values/call.ts";
import type { GuardInput } from "../values/guard.ts";
import type { Args } from "../values/json.ts";
import type { ToolMeta, ToolSource } from "../values/tool.ts";
import { type Asked, infoOf } from "./call-state.ts";

/** One question to one guard. Copies are made when they are looked at. */
export class Inquiry implements GuardInput {
  readonly #call: Asked;
  readonly #snapshot: Snapshot;
  readonly #foresee: boolean;
  #args: Args | undefined;
  #meta: ToolMeta | undefined;

  /** `foresee`: ask as if every earlier call in line had succeeded. */
  constructor(call: Asked, snapshot: Snapshot, foresee: boolean) {
    this.#call = call;
    this.#snapshot = snapshot;
    this.#foresee = foresee;
  }
  get tool(): string {
    return this.#call.tool;
  }
  get identity(): string {
    return this.#call.identity;
  }
  get args(): Args {
    this.#args ??= copy(this.#call.args.args);
    return this.#args;
  }
  get agent(): Agent {
    return this.#call.agent.view;
  }
  get call(): CallInfo {
    return infoOf(this.#call);
  }
  get run(): string {
    return this.#call.agent.pool.run.id;
  }
  get source(): ToolSource {
    return this.#call.bound.tool.source ?? "local";
  }
  get meta(): ToolMeta {
    this.#meta ??= metaOf(this.#call.bound);
    return this.#meta;
  }
  // getters, so that a guard may take the input apart
  get attended(): () => readonly Args[] {
    return () => (this.#foresee ? this.#snapshot.foreseen() : this.#snapshot.attended());
  }
  get inFlight(): () => readonly Args[] {
    return () => this.#snapshot.open().map((ticket) => ticket.args.args);
  }
}

export function metaOf({ tool }: BoundTool): ToolMeta {
  const meta = copy(tool.meta ?? {}) as Partial<ToolMeta>;
  return { ...meta, annotations: meta.annotations ?? null };
}

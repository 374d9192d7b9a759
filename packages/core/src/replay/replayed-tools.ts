import { type BoundTool, bindTool, guardNames, hooksOf, Keys } from "../decisions/bind.ts";
import { checkedOverrides, guardSettings } from "../decisions/overrides.ts";
import { identityOf, type Tool } from "../values/tool.ts";
import type { GuardReplay } from "./guard-replay.ts";
import type { RecordedFate } from "./recorded-calls.ts";

/** The tools of a replay with their guards, and those of the record that are not there any more. */
export class ReplayedTools {
  readonly #known: ReadonlyMap<string, BoundTool>;
  readonly #unknown = new Map<string, BoundTool>();
  readonly #bindUnknown: (name: string, identity: string) => BoundTool;
  readonly #onBound: (bound: BoundTool) => void;

  /** `onBound` is told of each tool before it is asked about. */
  constructor(
    { tools, hooks = [], guards = {} }: Pick<GuardReplay, "tools" | "hooks" | "guards">,
    onBound: (bound: BoundTool) => void,
  ) {
    const keys = new Keys();
    const names = guardNames([...tools.flatMap(hooksOf), ...hooks]);
    const settings = guardSettings(checkedOverrides({ ...guards }), names);
    this.#known = new Map(tools.map((tool) => [tool.name, bindTool(tool, hooks, settings, keys)]));
    this.#bindUnknown = (name, identity) => {
      const stub: Tool = { name, description: "", parameters: { type: "object" }, execute: () => undefined };
      return identityOf(stub) === identity
        ? bindTool(stub, hooks, settings, keys)
        : { ...bindTool(stub, [], settings, keys), identity };
    };
    this.#onBound = onBound;
    for (const bound of this.#known.values()) onBound(bound);
  }

  /** The tool of a call; one that is not there any more is known by its name and identity alone. */
  of({ tool, named, identity }: RecordedFate): BoundTool | undefined {
    const bound = this.#known.get(tool) ?? this.#unknown.get(tool);
    if (bound || identity === undefined || tool !== named) return bound;
    const stub = this.#bindUnknown(tool, identity);
    this.#unknown.set(tool, stub);
    this.#onBound(stub);
    return stub;
  }

  isKnown(tool: string): boolean {
    return this.#known.has(tool);
  }
}

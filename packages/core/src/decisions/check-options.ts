import { ConfigurationError } from "../values/errors.ts";
import type { Model } from "../values/model.ts";
import type { AgentPoolOptions } from "../values/options.ts";
import { checkList } from "./check-tools.ts";
import { nearest } from "./names.ts";

/** Throws where a pool's options, by themselves, are not what a pool takes. */
export function checkOptions(options: AgentPoolOptions): void {
  checkNames(options);
  checkValues(options);
}

/** An option that is called nearly as one that is not there was meant as that, and would do nothing. */
function checkNames(options: AgentPoolOptions): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTIONS, name)) continue;
    const meant = nearest(name, Object.keys(OPTIONS));
    if (meant !== undefined && options[meant as keyof AgentPoolOptions] === undefined)
      throw new ConfigurationError(`${name}: a pool takes no such option; did you mean ${meant}?`);
  }
}

function checkValues({ model, orchestrate, recovery, instructions, hooks }: AgentPoolOptions): void {
  if (model !== undefined && typeof (model as Partial<Model> | null)?.open !== "function")
    throw new ConfigurationError(
      `model: found ${JSON.stringify(model)}; accepted is a model, such as resolveModel("extractive") of @agentpool/models makes.`,
    );
  if (typeof orchestrate !== "function")
    throw new ConfigurationError(
      "orchestrate: missing; give the pool an orchestrator, for example parallel([...tasks]).",
    );
  if (recovery !== undefined && recovery !== "report" && recovery !== "none")
    throw new ConfigurationError(
      `recovery: found ${JSON.stringify(recovery)}; accepted are "report" and "none".`,
    );
  if (instructions !== undefined && typeof instructions !== "string")
    throw new ConfigurationError(`instructions: found ${typeof instructions}; accepted is a text.`);
  checkList("hooks", hooks);
}

const OPTIONS: { readonly [name in keyof Required<AgentPoolOptions>]: true } = {
  model: true,
  system: true,
  tools: true,
  terminal: true,
  orchestrate: true,
  hooks: true,
  guards: true,
  budget: true,
  deny: true,
  requireApproval: true,
  approvals: true,
  policy: true,
  redact: true,
  repetition: true,
  instructions: true,
  review: true,
  rules: true,
  effort: true,
  reviewer: true,
  grants: true,
  recovery: true,
  key: true,
  run: true,
  parent: true,
  journal: true,
  onEvent: true,
  clock: true,
};

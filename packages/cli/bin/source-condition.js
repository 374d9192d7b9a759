/** A module hook: packages resolve by their `@agentpool/source` export where they have one. */
export const resolve = (specifier, context, next) =>
  next(specifier, { ...context, conditions: [...context.conditions, "@agentpool/source"] });

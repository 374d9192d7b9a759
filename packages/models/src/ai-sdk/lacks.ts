/** What a provider may have no setting for: then it is said in words, and what comes back is looked at. */
export type Feature = "toolChoice" | "structuredOutput";

/** Reads in a stream's first part what the provider left out of the request. */
export function lackedIn(warnings: unknown): readonly Feature[] {
  if (!Array.isArray(warnings)) return [];
  return warnings.flatMap((warning): Feature[] => {
    const { type, feature, setting } = (warning ?? {}) as { readonly [key: string]: unknown };
    if (type !== "unsupported" && type !== "unsupported-setting") return [];
    const name = feature ?? setting;
    if (name === "toolChoice") return ["toolChoice"];
    return name === "responseFormat" ? ["structuredOutput"] : [];
  });
}

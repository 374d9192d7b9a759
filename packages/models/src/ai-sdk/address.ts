/**
 * Where a client of the AI SDK sends its requests, as far as it can be seen: they keep it in `config`, which is no part
 * of the specification. Undefined for any other model object.
 */
export function addressOf(model: object): string | undefined {
  try {
    const { config, modelId } = model as { readonly config?: Config; readonly modelId?: string };
    const url = config?.baseURL ?? config?.url?.({ path: "/", modelId });
    return typeof url === "string" ? new URL(url).origin : undefined;
  } catch {
    return undefined;
  }
}

interface Config {
  readonly baseURL?: unknown;
  readonly url?: (of: { readonly path: string; readonly modelId: string | undefined }) => unknown;
}

import { ConfigurationError, type Model, type Prefix, type Session } from "@agentpool/core";
import { type Operation, until } from "effection";

/** A model that is loaded when the first session opens, once for all of them. A failed load is tried again. */
export function lazyModel(
  { id, contextWindow, price }: Pick<Model, "id" | "contextWindow" | "price">,
  load: () => Promise<Model>,
): Model {
  let loading: Promise<Model> | undefined;
  let loaded: Model | undefined;
  return {
    id,
    get contextWindow() {
      return loaded?.contextWindow ?? contextWindow;
    },
    price,
    get capacity() {
      return loaded?.capacity;
    },
    get lasting() {
      return loaded?.lasting;
    },
    *open(prefix: Prefix): Operation<Session> {
      loading ??= load();
      let model: Model;
      try {
        model = yield* until(loading);
      } catch (error) {
        loading = undefined;
        if (error instanceof ConfigurationError) throw error;
        throw new Error(`${id}: its client could not be loaded: ${(error as Error).message}`, {
          cause: error,
        });
      }
      loaded = model;
      return yield* model.open(prefix);
    },
    *close() {
      const closing = loading;
      loading = undefined;
      loaded = undefined;
      const model = closing && (yield* until(closing.catch(() => undefined)));
      if (model?.close) yield* model.close();
    },
  };
}

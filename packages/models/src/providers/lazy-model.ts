import type { Model, Prefix, Session } from "@agentpool/core";
import { type Operation, until } from "effection";

/** A model that is loaded when the first session opens, once for all of them. A failed load is tried again. */
export function lazyModel(
  { id, contextWindow, price }: Pick<Model, "id" | "contextWindow" | "price">,
  load: () => Promise<Model>,
): Model {
  let loading: Promise<Model> | undefined;
  return {
    id,
    contextWindow,
    price,
    *open(prefix: Prefix): Operation<Session> {
      loading ??= load();
      let model: Model;
      try {
        model = yield* until(loading);
      } catch (error) {
        loading = undefined;
        throw new Error(`${id}: its client could not be loaded: ${(error as Error).message}`, {
          cause: error,
        });
      }
      return yield* model.open(prefix);
    },
  };
}

// The process of one contender: opens it, and runs a round whenever it is told to. Ends when its parent lets go of it.
import { call, createQueue, main, type Operation } from "effection";
import type { Contender, Open } from "../contenders/contender.ts";
import type { Reply, Request } from "./protocol.ts";
import { reasonOf } from "./reason.ts";

await main(function* () {
  const requests = createQueue<Request, void>();
  process.on("message", (request: Request) => requests.add(request));
  process.on("disconnect", () => requests.close());
  let contender: Contender | undefined;
  for (let next = yield* requests.next(); !next.done; next = yield* requests.next()) {
    const request = next.value;
    try {
      if (request.type === "open") {
        contender = yield* open(request);
        reply({ type: "opened" });
      } else {
        if (!contender) throw new Error("a round was asked for before anything was opened");
        reply({ type: "sampled", sample: yield* contender.round() });
      }
    } catch (error) {
      reply({ type: "failed", reason: reasonOf(error) });
    }
  }
});

function* open({ contender, settings }: Extract<Request, { type: "open" }>): Operation<Contender> {
  const url = new URL(`../contenders/${contender}.ts`, import.meta.url).href;
  const { default: open }: { default: Open<object> } = yield* call(() => import(url));
  return yield* open(settings);
}

function reply(message: Reply): void {
  process.send?.(message);
}

import {
  type AgentPoolOptions,
  type Args,
  agentPool,
  type ManualClock,
  parallel,
  runPool,
  sleepOn,
  type Tool,
  type ToolContext,
  ToolRetryError,
} from "@agentpool/core";
import type { Operation } from "effection";
import { z } from "zod";
import { chance } from "./random.ts";
import type { Witness, World } from "./world.ts";
import { guardOf } from "./world-guards.ts";

const DEADLINE = 400;

/** What a tool returns: where room is scarce, up to a quarter of it. */
const pageOf = ({ seed, memory }: World, k: string): unknown => ({
  page: k,
  text: "x".repeat(Math.floor(chance(seed, k, "long") * memory)),
});

export function toolsOf(
  world: World,
  witness: Witness,
  latency: () => number,
): Pick<AgentPoolOptions, "tools" | "terminal"> {
  const { clock } = witness;
  const parameters = z.object({ k: z.string() });
  const hooks = (name: string) => ({ beforeDispatch: [guardOf(world, name, witness, latency)] });
  const common = (name: string) => ({
    name,
    description: name,
    parameters,
    hooks: hooks(name),
    timeoutMs: DEADLINE,
    idempotent: chance(world.seed, name, "idempotent") < world.idempotent,
  });

  const enter = (ctx: ToolContext): void => {
    if (witness.stopping) witness.late.push(`body ${ctx.id}`);
    witness.inside++;
    begin();
  };
  const begin = (): void => {
    witness.bodies++;
    witness.mostBodies = Math.max(witness.mostBodies, witness.bodies);
  };
  const fate = (k: string, ctx: ToolContext): void => {
    if (chance(world.seed, ctx.id, k, "fail") < world.fail) throw new Error("failed");
    if (ctx.attempt === 0 && chance(world.seed, ctx.id, k, "retry") < world.retry)
      throw new ToolRetryError("busy", 1 + Math.floor(chance(world.seed, ctx.id, "after") * 50));
  };
  const hangs = (k: string, ctx: ToolContext): boolean => chance(world.seed, ctx.id, k, "hang") < world.hang;
  const time = (k: string, ctx: ToolContext): number =>
    hangs(k, ctx) ? 1e6 : 1 + Math.floor(latency() * 20);

  const read: Tool = {
    ...common("read"),
    *execute(args: Args, ctx): Operation<unknown> {
      const k = String(args.k);
      enter(ctx);
      try {
        yield* sleepOn(clock, time(k, ctx));
        fate(k, ctx);
        return pageOf(world, k);
      } finally {
        witness.bodies--;
        witness.inside--;
      }
    },
  };
  const fetch: Tool = {
    ...common("fetch"),
    async execute(args: Args, ctx) {
      const k = String(args.k);
      enter(ctx);
      // told to stop, it counts as stopped: what a promise does after that is its own affair
      const leave = once(() => {
        witness.bodies--;
        witness.inside--;
      });
      ctx.signal.addEventListener("abort", leave, { once: true });
      try {
        await promisedSleep(clock, time(k, ctx), ctx.signal);
        fate(k, ctx);
        return pageOf(world, k);
      } finally {
        leave();
      }
    },
  };
  const inside = parallel(["nested 0", "nested 1"]);
  const delegate: Tool = {
    ...common("delegate"),
    *execute(args: Args, ctx): Operation<unknown> {
      enter(ctx);
      witness.bodies--;
      let back = false;
      try {
        const { agents } = yield* agentPool({ orchestrate: inside });
        begin();
        back = true;
        fate(String(args.k), ctx);
        return agents.map(({ exit }) => exit);
      } finally {
        if (back) witness.bodies--;
        witness.inside--;
      }
    },
  };
  const delegateAsync: Tool = {
    ...common("delegateAsync"),
    async execute(args: Args, ctx) {
      enter(ctx);
      witness.bodies--;
      let back = false;
      try {
        const { agents } = await runPool({ orchestrate: inside, parent: ctx }, { signal: ctx.signal });
        begin();
        back = true;
        fate(String(args.k), ctx);
        return agents.map(({ exit }) => exit);
      } finally {
        if (back) witness.bodies--;
        witness.inside--;
      }
    },
  };
  const pick: Tool = {
    ...common("pick"),
    target: "client",
    execute: () => {
      throw new Error("it runs elsewhere");
    },
  };
  const close: Tool = {
    name: "close",
    description: "close",
    parameters,
    timeoutMs: DEADLINE,
    *execute(args: Args, ctx): Operation<unknown> {
      const k = String(args.k);
      enter(ctx);
      witness.closed.push(`${ctx.id} ${ctx.attempt}`);
      try {
        yield* sleepOn(clock, time(k, ctx));
        fate(k, ctx);
        return `${k} is closed`;
      } finally {
        witness.bodies--;
        witness.inside--;
      }
    },
  };
  const tools = [read, fetch, pick, delegate, delegateAsync];
  return world.close > 0 ? { tools, terminal: close } : { tools };
}

function once(run: () => void): () => void {
  let ran = false;
  return () => {
    if (!ran) run();
    ran = true;
  };
}

const promisedSleep = (clock: ManualClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const cancel = clock.at(clock.now() + ms, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    const abort = (): void => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
  });

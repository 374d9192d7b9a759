import {
  type AgentPoolOptions,
  ApprovalDesk,
  type Args,
  agentPool,
  dedup,
  type GuardOverrides,
  type ManualClock,
  manualClock,
  type PoolEvent,
  type PoolHandle,
  parallel,
  requireApproval,
  runPool,
  sleepOn,
  type Tool,
  type ToolContext,
  type ToolGuard,
  type ToolLifecycleHooks,
  ToolRetryError,
} from "@agentpool/core";
import { type ScriptedMoment, type ScriptedTurn, scripted } from "@agentpool/models";
import type { Operation } from "effection";
import { z } from "zod";
import { chance, random } from "./random.ts";

/** A random cohort: what its agents ask depends on `seed` alone, how long things take on `lat`. */
export interface World {
  readonly seed: number;
  readonly lat: number;
  readonly agents: number;
  readonly turns: number;
  /** How many different things there are to ask for: few make many equal calls. */
  readonly keys: number;
  readonly fail: number;
  readonly retry: number;
  readonly hang: number;
  readonly delegate: number;
  /** Of what is asked for, how much needs a person; of those who ask, how many are never answered. */
  readonly approve: number;
  readonly never: number;
  /** How many steps are sent back, calls become others, and calls run elsewhere. */
  readonly restart: number;
  readonly rewrite: number;
  readonly client: number;
  /** How many agents end with a call, and not in words. */
  readonly close: number;
  /** How many of the tools do no harm twice: their intents are on record while they wait for a permit. */
  readonly idempotent: number;
  readonly guard: "keyed" | "predicate" | "async predicate" | "promised predicate";
  readonly scope: "lineage" | "cohort";
  readonly concurrentTools: number;
  readonly concurrentGenerations: number;
  readonly maxToolCalls: number;
  /** Tokens of the memory that all sessions share; 0: each has its own, and no end to it. */
  readonly memory: number;
}

/** What happened in a world, seen from outside the pool. */
export interface Witness {
  readonly clock: ManualClock;
  readonly events: PoolEvent[];
  /** Given once the pool is open: who answers for clients needs it. */
  handle: PoolHandle | undefined;
  readonly moments: readonly ScriptedMoment[];
  /** Timers of people and clients who have not answered yet. */
  answering: number;
  /** Tool bodies that run now, but for those that wait for a pool they opened; and the most there ever were. */
  bodies: number;
  mostBodies: number;
  /** Bodies entered and not left. */
  inside: number;
  /** Set when everything is told to stop: from then on nothing may start. */
  stopping: boolean;
  readonly late: string[];
  /** Executions of calls that end agents: call and attempt. */
  readonly closed: string[];
}

const DEADLINE = 400;

export function createWorld(
  world: World,
  clock: ManualClock = manualClock(),
): { readonly options: AgentPoolOptions; readonly witness: Witness } {
  const latency = random(world.lat);
  const played = scripted(
    ({ key }) =>
      (moment) =>
        turnOf(world, key, moment, latency),
  );
  const model = world.memory > 0 ? { ...played, capacity: { tokens: world.memory } } : played;
  const events: PoolEvent[] = [];
  const witness: Witness = {
    clock,
    events,
    handle: undefined,
    moments: model.requests,
    answering: 0,
    bodies: 0,
    mostBodies: 0,
    inside: 0,
    stopping: false,
    late: [],
    closed: [],
  };
  const approvals = new ApprovalDesk();
  const options: AgentPoolOptions = {
    model,
    approvals,
    hooks: hooksOf(world),
    system: "",
    clock,
    ...toolsOf(world, witness, latency),
    orchestrate: parallel(Array.from({ length: world.agents }, (_, index) => `task ${index}`)),
    guards: scopesOf(world),
    budget: {
      maxTurns: world.turns + 1,
      maxToolCalls: world.maxToolCalls,
      maxToolRetries: 1,
      runRetries: 6,
      concurrentTools: world.concurrentTools,
      concurrentGenerations: world.concurrentGenerations,
    },
    onEvent: (event) => {
      events.push(event);
      if (event.type === "approval:requested") decideLater(world, witness, approvals, event.approval.id);
      if (event.type === "call:parked" && event.reason === "client") submitLater(world, witness, event);
      if (witness.stopping && (event.type === "call:dispatched" || event.type === "turn:started"))
        witness.late.push(`${event.type} ${event.agent}`);
    },
  };
  return { options, witness };
}

/** What a tool returns: where room is scarce, up to a quarter of it. */
const pageOf = ({ seed, memory }: World, k: string): unknown => ({
  page: k,
  text: "x".repeat(Math.floor(chance(seed, k, "long") * memory)),
});

const depthOf = (key: string): number => key.split("~").length - 1;

/** What an agent says in a turn. Agents of nested pools ask once, and are nested two deep at most. */
function turnOf(
  world: World,
  key: string,
  { turn, request }: ScriptedMoment,
  latency: () => number,
): ScriptedTurn {
  const wait = Math.floor(latency() * 5);
  const last = depthOf(key) === 0 ? world.turns : 1;
  if (request.toolChoice === "none") return { text: `${key} is done`, wait };
  if (turn > last)
    return chance(world.seed, key, turn, "close") < world.close
      ? { wait, calls: [{ tool: "close", args: { k: key } }] }
      : { text: `${key} is done`, wait };
  const calls = 1 + Math.floor(chance(world.seed, key, turn, "calls") * 3);
  return {
    wait,
    calls: Array.from({ length: calls }, (_, index) => {
      const k = `k${Math.floor(chance(world.seed, key, turn, index, "key") * world.keys)}`;
      const dice = chance(world.seed, key, turn, index, "tool");
      if (chance(world.seed, key, turn, index, "where") < world.client) return { tool: "pick", args: { k } };
      if (dice < world.delegate && depthOf(key) < 2)
        return { tool: dice < world.delegate / 2 ? "delegate" : "delegateAsync", args: { k } };
      return { tool: chance(world.seed, key, turn, index, "kind") < 0.5 ? "read" : "fetch", args: { k } };
    }),
  };
}

function toolsOf(
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

const TOOLS = ["read", "fetch", "pick", "delegate", "delegateAsync"];

/** Whether a person has to be asked about a call: what it asks for decides, so that it can be told from outside. */
export const needsPerson = ({ seed, approve }: World, identity: string, k: unknown): boolean =>
  chance(seed, identity, String(k), "approve") < approve;

/** The harness: it rewrites some calls, asks people about some, and sends some steps back. */
const hooksOf = (world: World): readonly ToolLifecycleHooks[] => [
  ...(world.rewrite > 0 ? [rewriting(world)] : []),
  ...(world.approve > 0 ? [asking(world)] : []),
  ...(world.restart > 0 ? [judging(world)] : []), // steps that are judged run in order: not in every world
];

const rewriting = ({ seed, rewrite, keys }: World): ToolLifecycleHooks => ({
  rewrite({ call: { id, tool, args } }) {
    if (chance(seed, id, "rewrite") >= rewrite) return undefined;
    if (tool === "read") return { type: "rewrite", tool: "fetch", args, mode: "replace" };
    return { type: "rewrite", args: { k: `k${Math.floor(chance(seed, id, "to") * keys)}` }, mode: "merge" };
  },
});

const asking = (world: World): ToolLifecycleHooks => ({
  beforeDispatch: [
    {
      name: "people",
      tools: TOOLS.filter((tool) => tool !== "pick"),
      decide: ({ identity, args }) =>
        needsPerson(world, identity, args.k) ? requireApproval("somebody should look") : undefined,
    },
  ],
});

const judging = ({ seed, restart }: World): ToolLifecycleHooks => ({
  onPropose: ({ agent, turn, attempt }) =>
    chance(seed, agent.key, turn, attempt, "restart") < restart
      ? { type: "restart", reasoning: "Otherwise." }
      : undefined,
});

function after(witness: Witness, ms: number, answer: () => void): void {
  witness.answering++;
  witness.clock.at(witness.clock.now() + ms, () => {
    witness.answering--;
    answer();
  });
}

/** A person decides after a while, in whatever order that makes, or never. */
function decideLater(world: World, witness: Witness, approvals: ApprovalDesk, id: string): void {
  if (chance(world.seed, id, "never") < world.never) return;
  after(witness, 1 + Math.floor(chance(world.lat, id, "decided") * 60), () => {
    if (!approvals.list().some((approval) => approval.id === id)) return;
    if (chance(world.seed, id, "decision") < 0.6) approvals.approve(id);
    else approvals.deny(id, "no");
  });
}

/** A client submits all results that its agent waits for after a while, or never. */
function submitLater(world: World, witness: Witness, { agent, call }: { agent: string; call: string }): void {
  if (chance(world.seed, call, "never") < world.never) return;
  after(witness, 1 + Math.floor(chance(world.lat, call, "submitted") * 40), () => {
    const open = witness.handle!.clientCalls().filter((asked) => asked.agent === agent);
    if (open.some(({ id }) => id === call))
      witness.handle!.submit(Object.fromEntries(open.map(({ id, args }) => [id, { picked: args.k }])));
  });
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

function guardOf(world: World, tool: string, { clock }: Witness, latency: () => number): ToolGuard {
  const name = `${tool}_dedup`;
  const message = "read already";
  switch (world.guard) {
    case "keyed":
      return dedup(name, ({ k }) => k, { message });
    case "predicate":
      return { name, message, reject: ({ args, attended }) => attended().some(({ k }) => k === args.k) };
    case "async predicate":
      return {
        name,
        message,
        *reject({ args, attended }) {
          const read = attended();
          yield* sleepOn(clock, Math.floor(latency() * 3));
          return read.some(({ k }) => k === args.k);
        },
      };
    case "promised predicate":
      return {
        name,
        message,
        async reject({ args, attended }) {
          await null;
          return attended().some(({ k }) => k === args.k);
        },
      };
  }
}

const scopesOf = ({ scope }: World): GuardOverrides =>
  Object.fromEntries(TOOLS.map((tool) => [`${tool}_dedup`, { scope }]));

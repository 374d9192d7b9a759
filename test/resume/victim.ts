// A job of its own process, which kills itself at a write of its record: see kill.test.ts.
import { appendFileSync, writeFileSync } from "node:fs";
import {
  ApprovalDesk,
  agentPool,
  chain,
  dedup,
  defineTool,
  delegate,
  type Journal,
  JournalContext,
  type JournalEntry,
  MisformedError,
  noUsage,
  parallel,
  reportTool,
  step,
  ToolRetryError,
  useAgent,
} from "@agentpool/core";
import { openStore } from "@agentpool/journal";
import { fallback, type ScriptedTurn, scripted } from "@agentpool/models";
import { main, type Operation, sleep, spawn } from "effection";
import { z } from "zod";

const [store, folder, deadline] = process.argv.slice(2) as [string, string, string];

/** What was really done: a line each, written at once. */
const done = (what: string): void => appendFileSync(`${folder}/done.txt`, `${what}\n`);

/**
 * A journal in front of another, that kills the process at a write: just before it takes an entry, any or one of a
 * type, or just after what it has is durable, at some time or with an entry of a type.
 */
function deadly(journal: Journal, deadline: string): Journal {
  const [kind, count] = deadline.split(" ") as [
    "entry" | "flush" | "with" | JournalEntry["type"] | "never",
    string,
  ];
  let isIn = false;
  let left = Number(count);
  const live = (at: typeof kind): void => {
    if (kind === at && --left <= 0) process.kill(process.pid, "SIGKILL");
  };
  return {
    recorded: journal.recorded,
    append(entry) {
      live("entry");
      live(entry.type);
      isIn ||= kind === "with" && entry.type === count;
      journal.append(entry);
    },
    flush() {
      const durable = journal.flush();
      const isWith = isIn;
      return (
        durable &&
        Promise.resolve(durable).then(() => {
          live("flush");
          if (isWith) process.kill(process.pid, "SIGKILL");
        })
      );
    },
    decide: (id, decision) => journal.decide!(id, decision),
  };
}

const page = z.object({ page: z.string() });
const read = defineTool({
  name: "read",
  description: "Reads a page.",
  parameters: page,
  idempotent: true,
  hooks: { beforeDispatch: [dedup("page", (args) => args.page)] },
  async execute({ page }, { id }) {
    done(`read ${id}`);
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 8));
    return `The text of ${page}.`;
  },
});
const send = defineTool({
  name: "send",
  description: "Sends a letter.",
  parameters: z.object({ to: z.string() }),
  *execute({ to }, { id }): Operation<string> {
    done(`send ${id}`);
    yield* sleep(2);
    return `sent to ${to}`;
  },
});
const busy = defineTool({
  name: "busy",
  description: "Is busy at first.",
  parameters: page,
  idempotent: true,
  execute({ page }, { id, attempt }) {
    done(`busy ${id} ${attempt}`);
    if (attempt === 0) throw new ToolRetryError("busy", 20);
    return `${page}, at last`;
  },
});

const publish = defineTool({
  name: "publish",
  description: "Publishes a text, which ends the task.",
  parameters: z.object({ text: z.string() }),
  async execute({ text }, { id }) {
    done(`publish ${id}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return text;
  },
});

const calls = (...list: readonly (readonly [string, Record<string, unknown>])[]): ScriptedTurn => ({
  calls: list.map(([tool, args]) => ({ tool, args })),
});
const report = (result: string): ScriptedTurn => calls(["report", { result }]);
const scripts: { readonly [key: string]: readonly ScriptedTurn[] } = {
  "plan/0": [calls(["read", { page: "contents" }]), report("three questions")],
  "research/0": [
    calls(["read", { page: "a" }], ["read", { page: "b" }]),
    calls(["send", { to: "ann" }], ["send", { to: "bob" }]),
    report("zero"),
  ],
  "research/1": [
    calls(["read", { page: "b" }], ["busy", { page: "c" }]),
    calls(["delegate", { tasks: ["x", "y"] }]),
    report("one"),
  ],
  "research/2": [
    calls(["read", { page: "a" }]),
    calls(["busy", { page: "d" }], ["read", { page: "c" }]),
    report("two"),
  ],
  "synthesis/0": [
    calls(["read", { page: "style" }]),
    calls(["publish", { text: "a draft" }]),
    { text: "a draft" }, // where it is not known whether it is out
  ],
  "synthesis/1": [calls(["publish", { text: "the brief" }]), { text: "the brief" }],
};
const helper: readonly ScriptedTurn[] = [
  calls(["read", { page: "c" }], ["read", { page: "e" }]),
  report("helped"),
];

/** A list whose first does not do for one agent from its second turn on, and notes where it is asked again after that. */
function listOf({ recorded }: Journal) {
  const moved = new Set(
    recorded.flatMap((entry) => (entry.type === "model:fallback" ? [String(entry.agent)] : [])),
  );
  const first = scripted(
    ({ key }) =>
      ({ turn }) => {
        if (moved.has(key)) done(`asked again ${key}`);
        return key === "research/2" && turn > 1
          ? { error: new MisformedError("it answers in riddles", noUsage) }
          : (scripts[key] ?? helper)[turn - 1]!;
      },
    { id: "first" },
  );
  return fallback([first, scripted(({ key }) => scripts[key] ?? helper, { id: "second" })]);
}

const guards = { page: { scope: "cohort" as const } };

/** A person who has an eye on what waits. */
function* decide(approvals: ApprovalDesk): Operation<void> {
  for (;;) {
    for (const { id, args } of approvals.list())
      if (args.to === "ann") approvals.approve(id);
      else approvals.deny(id, "not bob");
    yield* sleep(3);
  }
}

await main(function* () {
  const journal = yield* (yield* openStore(store)).journal("run");
  yield* JournalContext.set(deadly(journal, deadline));
  const approvals = new ApprovalDesk();
  yield* spawn(() => decide(approvals));
  const common = { run: "run", model: listOf(journal), terminal: reportTool, approvals };
  const plan = yield* useAgent({ ...common, key: "plan", tools: [read], task: "plan" });
  const greeting = yield* step("greeting", function* () {
    done("greeting");
    return "Hello.";
  });
  const research = yield* agentPool({
    ...common,
    key: "research",
    tools: [read, send, busy, delegate()],
    requireApproval: ["send"],
    guards,
    orchestrate: parallel(["zero", "one", "two"]),
  });
  const synthesis = yield* agentPool({
    ...common,
    key: "synthesis",
    terminal: publish,
    tools: [read],
    orchestrate: chain(["draft", "write"]),
  });
  const results = [plan, ...research.agents, ...synthesis.agents];
  const brief = {
    greeting,
    results: results.map(({ key, exit, result }) => ({ key, exit, result })),
    totals: research.totals,
  };
  writeFileSync(`${folder}/brief.json`, JSON.stringify(brief));
});

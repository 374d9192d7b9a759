import type { AgentView, RunView } from "@agentpool/journal";
import { type Brief, renderBrief } from "@agentpool/research";
import type { Palette } from "../palette.ts";
import { oneLine, printable } from "../printable.ts";
import { counted, dollars, lasting, short } from "../words.ts";
import { agentLines, type LineOptions } from "./agent-lines.ts";
import { statusLabel } from "./labels.ts";
import { turnsLabel, turnsOf } from "./turns-of.ts";

export interface ReportOptions {
  readonly palette: Palette;
  /** Columns of the screen. */
  readonly width: number;
  /** Only this agent, with what its calls gave. */
  readonly agent?: string | undefined;
  /** Default true. */
  readonly brief?: boolean | undefined;
  /** The flags with which another command finds its store, and what is to be said about them. */
  readonly found?: { readonly flags: string; readonly reminder: string };
}

/** A run as people read it: how it went, what every agent did, what was refused, asked and read, what came of it. */
export function runReport(view: RunView, options: ReportOptions): string {
  const { palette, width, agent, brief = true } = options;
  const lines = {
    palette,
    width,
    open: view.approvals.filter(({ state }) => state === "open"),
    since: view.startedAt,
    isRunning: view.status === "running",
  };
  if (agent !== undefined) {
    const only = view.agentViews.filter((one) => one.agent === agent);
    return text(only.flatMap((one) => agentLines(one, { ...lines, lead: "", results: true })));
  }
  return text([
    ...heading(view, options),
    "",
    ...tree(view.agentViews, lines),
    ...refusals(view, palette),
    ...approvals(view, palette),
    ...sources(view, palette),
    ...(brief ? answer(view) : []),
  ]);
}

const text = (all: readonly string[]): string => `${all.join("\n")}\n`;

function heading(view: RunView, { palette, found }: ReportOptions): string[] {
  const { id, status, startedAt, endedAt, usage, cost, origin } = view;
  const ended = endedAt ?? (status === "running" ? new Date().toISOString() : lastMoment(view));
  const took = lasting(Date.parse(ended) - Date.parse(startedAt));
  const cached = usage.cached > 0 ? ` (${short(usage.cached)} cached)` : "";
  const facts = [
    counted(view.agents, "agent"),
    turnsLabel({ ...turnsOf(view.agentViews), turns: view.turns }),
    counted(view.calls, "call"),
    `${view.refusals} refused`,
    `${short(usage.input)}${cached} + ${short(usage.output)} tokens`,
    ...(cost === null ? [] : [dollars(cost)]),
  ];
  return [
    `${palette.bold(id)}  ${statusLabel(status, palette)}  ${palette.dim(`${startedAt.replace("T", " ").slice(0, 19)} UTC, ${took}`)}`,
    palette.bold(oneLine(view.question, 400)),
    ...(origin
      ? [
          palette.dim(
            `${origin.kind === "fork" ? `forked from ${origin.run} at ${origin.agent}:${origin.turn}` : `follows up on ${origin.run}`}`,
          ),
        ]
      : []),
    palette.dim(facts.join(" · ")),
    ...(view.error === null ? [] : [palette.red(printable(view.error))]),
    ...goingOn(view).map((text) =>
      palette.yellow(`${text}: pool resume ${id}${found?.flags ?? ""}${found?.reminder ?? ""}`),
    ),
  ];
}

/** How a run stands that has not come to its end, and what is to be done about it; nothing for others. */
function goingOn({ status, stopped }: RunView): string[] {
  if (status === "waiting") return ["It waits for people. Once they have decided"];
  if (status === "cancelled" && stopped !== null)
    return ["It was stopped by its person before it had an answer. To carry on all the same"];
  if (status !== "interrupted") return [];
  return stopped === null
    ? ["Its process is gone: it crashed, or was killed. To carry on"]
    : [`Its process was ended by ${stopped}. To carry on`];
}

/** Of a run that has not come to its end: when something last happened. */
const lastMoment = ({ startedAt, agentViews }: RunView): string =>
  agentViews
    .flatMap(({ endedAt, turns }) => [endedAt, turns.at(-1)?.startedAt])
    .reduce<string>((last, at) => (at && at > last ? at : last), startedAt);

/** Agents below those they were forked from, or under whose call they ran; pools in the order they were opened. */
function tree(agents: readonly AgentView[], options: Omit<LineOptions, "lead" | "results">): string[] {
  const parents = parentsIn(agents);
  const below = (parent: string | null, lead: string): string[] =>
    agents
      .filter((one) => parents.get(one) === parent)
      .flatMap((one) => [
        ...agentLines(one, { ...options, width: options.width - lead.length, lead, results: false }),
        ...below(one.agent, `${lead}  `),
      ]);
  return below(null, "");
}

function parentsIn(agents: readonly AgentView[]): ReadonlyMap<AgentView, string | null> {
  const known = new Set(agents.map(({ agent }) => agent));
  return new Map(
    agents.map((one) => [
      one,
      one.parent !== null && known.has(one.parent) ? one.parent : callerOf(one.pool, known),
    ]),
  );
}

/** The agent in whose call a pool was opened: its key begins with that call's id, and that with the agent's key. */
function callerOf(pool: string, known: ReadonlySet<string>): string | null {
  for (let end = pool.lastIndexOf(":"); end > 0; end = pool.lastIndexOf(":", end - 1)) {
    const key = pool.slice(0, end);
    if (known.has(key)) return key;
  }
  return null;
}

function refusals({ agentViews }: RunView, palette: Palette): string[] {
  const guards = new Map<string, number>();
  let retries = 0;
  for (const { turns } of agentViews)
    for (const { calls } of turns)
      for (const call of calls)
        if (call.type === "call") retries += Math.max(0, call.attempts - 1);
        else guards.set(call.guard, (guards.get(call.guard) ?? 0) + 1);
  const counts = [...guards].sort((a, b) => b[1] - a[1]).map(([guard, count]) => `${guard} ${count}`);
  return [
    ...(counts.length > 0 ? ["", `${palette.bold("Refused by")}  ${counts.join(" · ")}`] : []),
    ...(retries > 0 ? [`${palette.bold("Retries")}  ${retries}`] : []),
  ];
}

const approvals = ({ approvals: all }: RunView, palette: Palette): string[] =>
  all.length === 0
    ? []
    : [
        "",
        palette.bold("Asked of people"),
        ...all.map(({ id, state, agent, tool, args, decidedBy, denial }) => {
          const who = decidedBy === null ? "" : ` by ${decidedBy}`;
          const why = denial === null ? "" : `: ${oneLine(denial, 80)}`;
          return `  ${id}  ${state}${who}  ${agent}  ${oneLine(`${tool} ${JSON.stringify(args)}`, 80)}${why}`;
        }),
      ];

/** More are in `--json`. */
const SOURCES = 12;

function sources({ sources: all }: RunView, palette: Palette): string[] {
  const read = all.filter(({ readBy }) => readBy.length > 0);
  if (all.length === 0) return [];
  const named = all.length - read.length;
  const shown = read.slice(0, SOURCES);
  const rest = read.length - shown.length;
  return [
    "",
    `${palette.bold("Sources")}  ${read.length} read${named > 0 ? `, ${named} only named by searches` : ""}`,
    ...shown.map(
      ({ source, lines: read, quotations, readBy }) =>
        `  ${oneLine(source, 80)}  ${palette.dim(
          [
            read.map(([from, to]) => `${from}–${to}`).join(", "),
            `by ${readBy.join(", ")}`,
            ...(quotations > 0 ? [`quoted ${quotations === 1 ? "once" : `${quotations} times`}`] : []),
          ].join(" · "),
        )}`,
    ),
    ...(rest > 0 ? [palette.dim(`  and ${rest} more (--json has all)`)] : []),
  ];
}

function answer({ answer: given }: RunView): string[] {
  if (given === null || given === undefined) return [];
  if (isBrief(given)) return ["", printable(renderBrief(given)).trimEnd()];
  return ["", printable(typeof given === "string" ? given : JSON.stringify(given, null, 2))];
}

const isBrief = (value: unknown): value is Brief =>
  typeof value === "object" && value !== null && "sections" in value && "totals" in value;

import { inspect } from "node:util";
import type { AgentView, ApprovalView, CallView, RefusalView, TurnView } from "@agentpool/journal";
import { callLabel } from "../call-label.ts";
import type { Palette } from "../palette.ts";
import { oneLine, printable } from "../printable.ts";
import { lasting, short } from "../words.ts";
import { reviewLines } from "./review-lines.ts";
import { turnsLabel, turnsOf } from "./turns-of.ts";

export interface LineOptions {
  readonly palette: Palette;
  /** What stands before each line. */
  readonly lead: string;
  /** Also what the calls gave. */
  readonly results: boolean;
  /** Columns that a line may have. */
  readonly width: number;
  /** Approvals that somebody has to decide on. */
  readonly open: readonly ApprovalView[];
  /** When its run began: a fork has turns from before that. */
  readonly since: string;
  /** Whether its run is at work: what has no outcome yet may come to one. */
  readonly isRunning: boolean;
}

/** An agent: what it was to do and how it ended, then a line for each call of each turn. */
export function agentLines(view: AgentView, options: LineOptions): string[] {
  const { palette, lead, results, width } = options;
  const { agent, task, turns, exit, reason, model } = view;
  const tokens = turns
    .flatMap(({ usage, reviews }) => [usage, ...reviews.map((review) => review.usage)])
    .reduce((sum, { input, output }) => sum + input + output, 0);
  const facts = [
    exit === null
      ? palette.yellow("not over")
      : exit === "returned" || exit === "text"
        ? exit
        : palette.yellow(exit),
    turnsLabel(turnsOf([view])),
    `${short(tokens)} tokens`,
    ...(view.endedAt === null ? [] : [lasting(tookMs(view.startedAt, view.endedAt, options.since))]),
    ...(results && model !== null ? [model] : []),
  ];
  const lines = [
    `${palette.bold(agent)}  ${oneLine(task, results ? 400 : room(width - 2 * REST))}  ${palette.dim(facts.join(" · "))}`,
    ...(reason === null ? [] : [`  ${palette.yellow(oneLine(reason, 120))}`]),
    ...turns.flatMap((turn) => turnLines(turn, view, options).map((line) => `  ${line}`)),
    ...(results && view.result !== null ? ["", ...shown(view.result, width)] : []),
  ];
  return lines.map((line) => (line === "" ? line : lead + line));
}

/** How long an agent took, in its run: one that a fork takes up began before that. */
function tookMs(startedAt: string, endedAt: string, since: string): number {
  const isTakenUp = startedAt < since && since < endedAt;
  return Date.parse(endedAt) - Date.parse(isTakenUp ? since : startedAt);
}

function turnLines(view: TurnView, { agent, exit }: AgentView, options: LineOptions): string[] {
  const { turn, attempt, calls, ms } = view;
  const { palette } = options;
  const waiting = options.open.filter(
    (one) => one.agent === agent && one.call.startsWith(turnOf(agent, view)),
  );
  const reviews = reviewLines(view, options);
  const number = `${String(turn).padStart(2)}${attempt > 0 ? `.${attempt}` : ""}`;
  if (calls.length === 0 && waiting.length === 0)
    return [`${number}  ${palette.dim(`${saidOf(view, exit !== null)} · ${lasting(ms)}`)}`, ...reviews];
  const space = " ".repeat(number.length);
  return [
    ...calls.flatMap((call, at) => callLines(call, options, at === 0 ? number : space, space)),
    ...waiting.map((approval, at) =>
      waitingLine(approval, options, calls.length === 0 && at === 0 ? number : space),
    ),
    ...reviews,
  ];
}

/** What is said of a turn that has no call to show. */
function saidOf({ finish, forced }: TurnView, isOver: boolean): string {
  if (finish === "restarted") return "sent back";
  if (finish === "failed") return "came to nothing";
  if (forced) return "report, as it was told to";
  if (finish !== "calls") return finish;
  return isOver ? "nothing came of it" : "nothing came of it yet";
}

/** How the ids of a turn's calls begin. */
const turnOf = (agent: string, { turn, attempt }: TurnView): string =>
  `${agent}:${turn}${attempt > 0 ? `.${attempt}` : ""}#`;

const waitingLine = (
  { id, tool, args }: ApprovalView,
  { palette, width }: LineOptions,
  number: string,
): string =>
  `${number}  ${palette.yellow(`${callLabel(tool, (args ?? {}) as Record<string, unknown>, room(width - REST))}  waits for a person: ${id}`)}`;

function callLines(
  call: CallView | RefusalView,
  { palette, results, width, isRunning }: LineOptions,
  number: string,
  space: string,
): string[] {
  if (call.type !== "call") {
    const label = callLabel(call.tool, argsOf(call.input), room(width - REST));
    return [`${number}  ${palette.yellow(`${label}  ${call.type} by ${call.guard}`)}`].concat(
      results ? [`${space}    ${palette.dim(oneLine(call.message, 200))}`] : [],
    );
  }
  const { outcome, attempts, ms, result, attended, terminal } = call;
  const facts = [
    outcome === null
      ? palette.yellow(isRunning ? "runs" : "outcome not known")
      : outcome === "ok"
        ? undefined
        : palette.red(outcome),
    outcome === "ok" && !attended && !terminal && attempts > 0 ? "not read" : undefined,
    attempts > 1 ? `${attempts} attempts` : undefined,
    ms === null || ms < WORTH_SAYING ? undefined : lasting(ms),
    outcome === "error" ? oneLine(String(result), 80) : undefined,
  ].filter((fact) => fact !== undefined);
  const line = `${number}  ${callLabel(call.tool, (call.args ?? {}) as Record<string, unknown>, room(width - REST))}${facts.length > 0 ? `  ${palette.dim(facts.join(" · "))}` : ""}`;
  if (!results || result === null || outcome === "error") return [line];
  return [line, ...shown(result, width - 10).map((text) => `${space}    ${palette.dim(text)}`)];
}

/** Lines of a result that are shown. */
const LINES = 40;

/** A value as people read it: long texts and lists are cut. */
function shown(value: unknown, width: number): string[] {
  const text =
    typeof value === "string"
      ? value
      : inspect(value, { depth: 5, breakLength: width, maxStringLength: 600, maxArrayLength: 10 });
  const lines = printable(text).split("\n");
  return lines.length > LINES ? [...lines.slice(0, LINES), `… ${lines.length - LINES} more lines`] : lines;
}

/** Columns for what stands beside a call: its turn, what became of it. */
const REST = 28;

/** A screen that is narrower wraps: some words are needed to know what is meant. */
const room = (columns: number): number => Math.max(20, columns);

/** Milliseconds from which on it is said how long a call took. */
const WORTH_SAYING = 100;

function argsOf(input: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : input;
  } catch {
    return input;
  }
}

import type { AgentView, CallView, RefusalView, TurnView } from "@agentpool/journal";
import { callLabel } from "../call-label.ts";
import type { Palette } from "../palette.ts";
import { oneLine, printable } from "../printable.ts";
import { counted, dollars, lasting, short } from "../words.ts";

export interface LineOptions {
  readonly palette: Palette;
  /** What stands before each line. */
  readonly lead: string;
  /** Also what the calls gave. */
  readonly results: boolean;
}

/** An agent: what it was to do and how it ended, then a line for each call of each turn. */
export function agentLines(view: AgentView, options: LineOptions): string[] {
  const { palette, lead, results } = options;
  const { agent, task, turns, exit, reason, model } = view;
  const tokens = turns.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
  const facts = [
    exit === null
      ? palette.yellow("not over")
      : exit === "returned" || exit === "text"
        ? exit
        : palette.yellow(exit),
    counted(turns.length, "turn"),
    `${short(tokens)} tokens`,
    ...(results && model !== null ? [model] : []),
  ];
  const lines = [
    `${palette.bold(agent)}  ${oneLine(task, results ? 400 : 72)}  ${palette.dim(facts.join(" · "))}`,
    ...(reason === null ? [] : [`  ${palette.yellow(oneLine(reason, 120))}`]),
    ...turns.flatMap((turn) => turnLines(turn, options).map((line) => `  ${line}`)),
    ...(results && view.result !== null ? ["", printable(jsonOf(view.result)).trimEnd()] : []),
  ];
  return lines.map((line) => (line === "" ? line : lead + line));
}

function turnLines(view: TurnView, options: LineOptions): string[] {
  const { turn, attempt, forced, calls, ms, finish } = view;
  const { palette } = options;
  const reviews = reviewLines(view, options);
  const number = `${String(turn).padStart(2)}${attempt > 0 ? `.${attempt}` : ""}`;
  const said = forced ? "report, as it was told to" : finish === "calls" ? "nothing came of it" : finish;
  if (calls.length === 0) return [`${number}  ${palette.dim(`${said} · ${lasting(ms)}`)}`, ...reviews];
  const space = " ".repeat(number.length);
  return [
    ...calls.flatMap((call, at) => callLines(call, options, at === 0 ? number : space, space)),
    ...reviews,
  ];
}

function callLines(
  call: CallView | RefusalView,
  { palette, results }: LineOptions,
  number: string,
  space: string,
): string[] {
  if (call.type !== "call") {
    const label = callLabel(call.tool, argsOf(call.input), 70);
    return [`${number}  ${palette.yellow(`${label}  ${call.type} by ${call.guard}`)}`].concat(
      results ? [`${space}    ${palette.dim(oneLine(call.message, 200))}`] : [],
    );
  }
  const { outcome, attempts, ms, result, attended } = call;
  const facts = [
    outcome === null
      ? palette.yellow("outcome not known")
      : outcome === "ok"
        ? undefined
        : palette.red(outcome),
    outcome === "ok" && !attended && attempts > 0 ? "not read" : undefined,
    attempts > 1 ? `${attempts} attempts` : undefined,
    ms === null || attempts === 0 ? undefined : lasting(ms),
    outcome === "error" ? oneLine(String(result), 80) : undefined,
  ].filter((fact) => fact !== undefined);
  const line = `${number}  ${callLabel(call.tool, (call.args ?? {}) as Record<string, unknown>, 70)}  ${palette.dim(facts.join(" · "))}`;
  if (!results || result === null || outcome === "error") return [line];
  return [
    line,
    ...printable(jsonOf(result))
      .split("\n")
      .slice(0, 40)
      .map((text) => `${space}    ${palette.dim(oneLine(text, 200))}`),
  ];
}

/** Who asked for a review, what it came to, and what it took. */
function reviewLines({ reviews }: TurnView, { palette, results }: LineOptions): string[] {
  return reviews.flatMap((review) => {
    const { subject, asked, verdict, problem, message, model, usage, cost, ms, remembered } = review;
    if (verdict === "matched" && asked.length === 0 && !results) return [];
    const took = [
      model ?? undefined,
      remembered ? "as before" : `${short(usage.input + usage.output)} tokens`,
      cost === null ? undefined : dollars(cost),
      ms === null ? undefined : lasting(ms),
    ].filter((fact) => fact !== undefined);
    const facts = verdict === "skipped" ? [] : took;
    const said = [problem ?? undefined, message ?? undefined].filter((text) => text !== undefined).join(": ");
    const label = `${verdict === "matched" ? "rules" : `${subject} ${VERDICTS[verdict]}`}, ${askedBy(asked)}`;
    const colour = verdict === "passed" || verdict === "matched" ? palette.dim : palette.yellow;
    const line = `    ${colour(label)}${said === "" ? "" : `  ${oneLine(said, results ? 400 : 90)}`}`;
    return [`${line}  ${palette.dim(facts.join(" · "))}`.trimEnd()];
  });
}

const VERDICTS = {
  passed: "passed its review",
  restarted: "was sent back",
  failed: "was not vouched for",
  skipped: "was not reviewed",
} as const;

/** By whom a review was asked for: everybody, rules by their titles, tools by their names. */
const askedBy = (asked: readonly unknown[]): string =>
  asked
    .map((one) => {
      if (typeof one === "string") return one;
      const { by, title, tool } = one as { by: string; title?: string; tool?: string };
      return title ?? tool ?? by;
    })
    .join(", ") || "none applies";

const jsonOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);

function argsOf(input: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : input;
  } catch {
    return input;
  }
}

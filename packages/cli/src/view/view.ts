import type { AgentState } from "@agentpool/core";
import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import type { Palette } from "../palette.ts";
import { oneLine } from "../printable.ts";
import { ENDS } from "../progress-line.ts";
import { waitsFor } from "../waits.ts";
import { counted, lasting, short } from "../words.ts";
import { arrange } from "./arrange.ts";
import { tree } from "./tree.ts";
import type { AgentRow, ViewState } from "./view-state.ts";

/** What a frame is drawn on. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly palette: Palette;
}

export interface Frame {
  readonly lines: readonly string[];
  /** The agents that have a row; the next frame is drawn with it, so that agents keep their rows. */
  readonly shown: readonly string[];
}

/** The widest that names may be, so that there is room for what agents do. */
const NAMES = 28;

/** A frame of the live view: a row for each agent, or for as many as fit, and the sums. */
export function view(
  state: ViewState,
  { columns, rows, palette }: Screen,
  now: number,
  shown: readonly string[] = [],
): Frame {
  // One row less than the screen has, so that it never scrolls; one for the sums, one for what has no row.
  const space = Math.max(1, rows - 3);
  const places = tree(state.agents);
  const keys = arrange(
    shown,
    places.map(({ row }) => row.key),
    (key) => state.agents.get(key)!.state === "done",
    space,
  );
  const fits = keys.length === places.length;
  const lead = new Map(fits ? places.map((place) => [place.row.key, place.lead] as const) : []);
  const rowsShown = keys.map((key) => ({ row: state.agents.get(key)!, lead: lead.get(key) ?? "" }));
  const names = Math.min(
    NAMES,
    Math.max(0, ...rowsShown.map((place) => stringWidth(place.lead + nameOf(place.row.key)))),
  );
  const lines = rowsShown.map((place) => agentLine(place.row, place.lead, names, columns, palette, now));
  if (!fits) lines.push(fit(palette.dim(hiddenLine(state, new Set(keys))), columns));
  lines.push(fit(palette.dim(sumLine(state, now)), columns));
  return { lines, shown: keys };
}

/** A line cut to the screen, one column short of it so that no terminal wraps. */
export const fit = (line: string, columns: number): string => cut(line, Math.max(1, columns - 1));

/** A text cut to a width. Where a wide character stands at the edge, the cut goes before it. */
function cut(text: string, width: number): string {
  let result = cliTruncate(text, width);
  for (let room = width - 1; room > 0 && stringWidth(result) > width; room--)
    result = cliTruncate(text, room);
  return result;
}

/** A nested agent's key says which call it runs under; on screen the tree says that. */
const nameOf = (key: string): string => oneLine(key, 60);

function agentLine(
  row: AgentRow,
  lead: string,
  names: number,
  columns: number,
  palette: Palette,
  now: number,
): string {
  const name = cliTruncate(`${lead}${nameOf(row.key)}`, names, { position: "middle" });
  const left = `${sign(row, palette)} ${name}${" ".repeat(Math.max(0, names - stringWidth(name)))}`;
  const right = countsOf(row);
  const room = columns - 1 - stringWidth(left) - stringWidth(right) - 4;
  if (room < 12) return fit(`${left}  ${doing(row, now)}`, columns);
  const middle = cut(doing(row, now), room);
  const gap = " ".repeat(Math.max(0, room - stringWidth(middle)));
  return `${left}  ${middle}${gap}  ${palette.dim(right)}`;
}

const SIGNS: Readonly<Record<AgentState, string>> = {
  ready: "·",
  generating: "●",
  calling: "●",
  parked: "◌",
  done: "✓",
};

function sign(row: AgentRow, palette: Palette): string {
  if (row.state === "done") return isFailure(row) ? palette.red("✗") : palette.green("✓");
  if (row.parked) return palette.yellow(SIGNS.parked);
  return row.state === "ready" ? palette.dim(SIGNS.ready) : palette.cyan(SIGNS[row.state]);
}

const isFailure = ({ exit }: AgentRow): boolean =>
  exit === "model_error" || exit === "invalid_output" || exit === "cancelled";

function doing(row: AgentRow, now: number): string {
  if (row.exit) return `${ENDS[row.exit]}${row.reason ? `: ${oneLine(row.reason, 200)}` : ""}`;
  if (row.parked) {
    const { reason, until } = row.parked;
    const call = row.running.values().next().value;
    return `${waitsFor(reason)}${until === undefined ? "" : `, ${lasting(until - now)}`}${call ? `: ${call}` : ""}`;
  }
  const [first, ...others] = row.running.values();
  if (first !== undefined) return others.length > 0 ? `${first} (+${others.length})` : first;
  return row.state === "ready" ? "waits for its turn" : `thinks: ${oneLine(row.task, 200)}`;
}

function countsOf(row: AgentRow): string {
  const counts = [counted(row.turns, "turn"), counted(row.calls, "call")];
  if (row.refusals.size > 0)
    counts.push(`refused ${[...row.refusals].map(([guard, count]) => `${guard} ${count}`).join(" ")}`);
  if (row.tokens > 0) counts.push(`${short(row.tokens)} tokens`);
  return counts.join(" · ");
}

type Standing = "running" | "parked" | "waiting" | "done";

const standing = (row: AgentRow): Standing =>
  row.state === "done" ? "done" : row.parked ? "parked" : row.state === "ready" ? "waiting" : "running";

function standings(rows: Iterable<AgentRow>): string {
  const counts: Record<Standing, number> = { running: 0, parked: 0, waiting: 0, done: 0 };
  for (const row of rows) counts[standing(row)]++;
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

function hiddenLine(state: ViewState, shown: ReadonlySet<string>): string {
  const hidden = [...state.agents.values()].filter((row) => !shown.has(row.key));
  return `… ${hidden.length} more: ${standings(hidden)}`;
}

function sumLine(state: ViewState, now: number): string {
  const rows = [...state.agents.values()];
  const sum = (of: (row: AgentRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const refused = sum((row) => [...row.refusals.values()].reduce((total, count) => total + count, 0));
  const tokens = sum((row) => row.tokens);
  return [
    rows.length === 0 ? "starting" : `${counted(rows.length, "agent")}: ${standings(rows)}`,
    counted(
      sum((row) => row.turns),
      "turn",
    ),
    counted(
      sum((row) => row.calls),
      "call",
    ),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(tokens > 0 ? [`${short(tokens)} tokens`] : []),
    ...(state.startedAt === undefined ? [] : [lasting(now - state.startedAt)]),
    ...(state.notice === undefined ? [] : [oneLine(state.notice, 200)]),
  ].join(" · ");
}

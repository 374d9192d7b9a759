import type { AgentState } from "@agentpool/core";
import cliTruncate from "cli-truncate";
import stringWidth from "string-width";
import type { Palette } from "../palette.ts";
import { oneLine } from "../printable.ts";
import { ENDS } from "../progress-line.ts";
import { waitsFor } from "../waits.ts";
import { counted, lasting, short, ticking } from "../words.ts";
import { arrange } from "./arrange.ts";
import { ownerOf, type Place, tree } from "./tree.ts";
import type { AgentRow, ViewState } from "./view-state.ts";

/** What a frame is drawn on. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly palette: Palette;
  /** Whether this is the last frame. While a run goes on times are whole seconds, so that rows keep still. */
  readonly over?: boolean;
}

export interface Frame {
  readonly lines: readonly string[];
  /** The agents that have a row; the next frame is drawn with it, so that agents keep their rows. */
  readonly shown: readonly string[];
}

/** The widest that names may be, and their share of a narrow screen. */
const NAMES = 28;
const NAMES_SHARE = 1 / 3;

/** Columns that what an agent does should have before any count goes beside it. */
const DOING = 24;

/** A frame of the live view: a row for each agent, or for as many as fit, and the sums. */
export function view(
  state: ViewState,
  { columns, rows, palette, over = false }: Screen,
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
  const named = new Map(fits ? places.map((place) => [place.row.key, nameIn(place)] as const) : []);
  const rowsShown = keys.map((key) => ({ row: state.agents.get(key)!, name: named.get(key) ?? nameOf(key) }));
  const names = Math.min(
    NAMES,
    Math.max(8, Math.floor(columns * NAMES_SHARE)),
    Math.max(0, ...rowsShown.map(({ name }) => stringWidth(name))),
  );
  const lines = rowsShown.map(({ row, name }) => agentLine(row, name, names, columns, palette, now));
  if (!fits) lines.push(fit(palette.dim(hiddenLine(state, new Set(keys))), columns));
  lines.push(fit(palette.dim(sumLine(state, columns - 1, now, over)), columns));
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

const nameOf = (key: string): string => oneLine(key, 60);

/** A nested agent's key begins with its owner's: below that one in the tree, the rest of it is enough. */
function nameIn({ row, lead }: Place): string {
  const owner = ownerOf(row);
  const within = lead !== "" && owner !== undefined && row.key.startsWith(`${owner}:`);
  return `${lead}${nameOf(within ? row.key.slice(owner.length + 1) : row.key)}`;
}

function agentLine(
  row: AgentRow,
  name: string,
  names: number,
  columns: number,
  palette: Palette,
  now: number,
): string {
  const short = cliTruncate(name, names, { position: "middle" });
  const left = `${sign(row, palette)} ${short}${" ".repeat(Math.max(0, names - stringWidth(short)))}`;
  const space = columns - 1 - stringWidth(left) - 2;
  const right = countsOf(row).find((counts) => space - 2 - stringWidth(counts) >= DOING);
  if (right === undefined) return fit(`${left}  ${doing(row, now)}`, columns);
  const room = space - 2 - stringWidth(right);
  const middle = cut(doing(row, now), room);
  const gap = " ".repeat(Math.max(0, room - stringWidth(middle)));
  return right === ""
    ? `${left}  ${middle}`
    : `${left}  ${middle}${gap}${columnOf(middle, columns - 3 - stringWidth(right))}  ${palette.dim(right)}`;
}

/** Goes to a column after a text whose width terminals don't agree about: emoji, combining marks, some scripts. */
const columnOf = (text: string, column: number): string =>
  /^[\x20-\x7e…·]*$/.test(text) ? "" : `\u001b[${column + 1}G`;

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
    return `${waitsFor(reason)}${until === undefined ? "" : `, ${ticking(until - now)}`}${call ? `: ${call}` : ""}`;
  }
  const [first, ...others] = row.running.values();
  if (first !== undefined) return others.length > 0 ? `${first} (+${others.length})` : first;
  return row.state === "ready" ? "waits for its turn" : `thinks: ${oneLine(row.task, 200)}`;
}

/** What is counted of an agent, from all of it to what a narrow screen has room for. */
function countsOf(row: AgentRow): string[] {
  const base = [counted(row.turns, "turn"), counted(row.calls, "call")];
  const guards = [...row.refusals].map(([guard, count]) => `${oneLine(guard, 40)} ${count}`);
  const refused = [...row.refusals.values()].reduce((total, count) => total + count, 0);
  const byGuard = refused > 0 ? [`refused ${guards.join(" ")}`] : [];
  const inAll = refused > 0 ? [`${refused} refused`] : [];
  const tokens = row.tokens > 0 ? [`${short(row.tokens)} tokens`] : [];
  return [[...base, ...byGuard, ...tokens], [...base, ...byGuard], [...base, ...inAll], [...inAll], []].map(
    (parts) => parts.join(" · "),
  );
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

/** The sums of a run, without those that a narrow screen has no room for. */
function sumLine(state: ViewState, width: number, now: number, over: boolean): string {
  const rows = [...state.agents.values()];
  const sum = (of: (row: AgentRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const refused = sum((row) => [...row.refusals.values()].reduce((total, count) => total + count, 0));
  const tokens = sum((row) => row.tokens);
  const time = (since: number) => (over ? lasting : ticking)(now - since);
  const agents = rows.length === 0 ? "starting" : `${counted(rows.length, "agent")}: ${standings(rows)}`;
  const turns = [
    counted(
      sum((row) => row.turns),
      "turn",
    ),
  ];
  const calls = [
    counted(
      sum((row) => row.calls),
      "call",
    ),
  ];
  const refusals = refused > 0 ? [`${refused} refused`] : [];
  const used = tokens > 0 ? [`${short(tokens)} tokens`] : [];
  const passed = state.startedAt === undefined ? [] : [time(state.startedAt)];
  const sums =
    [
      [agents, ...turns, ...calls, ...refusals, ...used, ...passed],
      [agents, ...calls, ...refusals, ...used, ...passed],
      [agents, ...refusals, ...used, ...passed],
      [agents, ...refusals, ...passed],
      [agents, ...passed],
      [agents],
    ]
      .map((parts) => parts.join(" · "))
      .find((line) => stringWidth(line) <= width) ?? agents;
  return state.notice === undefined ? sums : `${sums} · ${oneLine(state.notice, 200)}`;
}

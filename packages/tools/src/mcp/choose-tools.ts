import { nearest, selects } from "@agentpool/core";
import { type Tool as Listed, ToolSchema } from "@modelcontextprotocol/sdk/types.js";
import { clean } from "./clean.ts";
import { McpServerError } from "./mcp-server-error.ts";
import { parametersFrom } from "./parameters-from.ts";
import { servedIdentity, servedName } from "./served-name.ts";
import type { ServedTool } from "./served-tool.ts";
import { called, type McpServerSettings } from "./server-config.ts";

/** Tools that a run takes from one server: no provider takes many more. */
const MOST_TOOLS = 128;
/** Characters of what a server declares of a tool: every guard is shown it. */
const LONGEST_ANNOTATIONS = 8_000;

export interface Chosen {
  readonly tools: readonly ServedTool[];
  /** What was left out of what was asked for, and why. */
  readonly notices: readonly string[];
}

/**
 * Which of the tools that a server lists can be used here. One that cannot leaves the others.
 *
 * @throws McpServerError where a name of the settings means none of them.
 */
export function chooseTools(listed: readonly unknown[], server: McpServerSettings): Chosen {
  const { tools: wanted = ["*"], protected: held = [] } = server;
  const left: string[] = [];
  const tools = new Map<string, ServedTool>();
  const known = new Set<string>();
  let beyond = 0;
  for (const item of listed) {
    const name = nameOf(item);
    if (name === undefined) {
      left.push("one without a name that can be used");
      continue;
    }
    const isFirst = !known.has(name);
    known.add(name);
    if (!isMeant(wanted, name)) continue;
    const read = isFirst ? readTool(item) : "another has the same name";
    const called = servedName(server.name, name);
    if (typeof read === "string") left.push(`"${name}": ${read}`);
    else if (tools.has(called)) left.push(`"${name}": another is called ${called} here as well`);
    else if (tools.size >= MOST_TOOLS) beyond++;
    else tools.set(called, { ...read, name: called, identity: servedIdentity(server.name, name) });
  }
  checkNames("tools", wanted, known, server);
  checkNames("protected", held, known, server);
  return { tools: [...tools.values()], notices: noticesOf(server, left, beyond, known.size) };
}

/** Whether a name of a server's own is among these. */
export const isMeant = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => selects(pattern, { name, identity: name }));

/** The name of something that is listed; undefined where it has none that can be used. */
export function nameOf(item: unknown): string | undefined {
  const name = (item as { readonly name?: unknown } | null)?.name;
  return typeof name === "string" && /^[\x21-\x7e]{1,128}$/.test(name) ? name : undefined;
}

/** A listed tool, or why it cannot be used. */
function readTool(item: unknown): Pick<ServedTool, "listed" | "parameters"> | string {
  const read = ToolSchema.safeParse(item);
  if (!read.success) return `it is malformed (${clean(String(read.error.issues[0]?.path.join(".")), 100)})`;
  if (read.data.execution?.taskSupport === "required") return "it can only be called as a task";
  const parameters = parametersFrom(read.data.inputSchema);
  if (typeof parameters === "string") return parameters;
  const { annotations } = item as Listed;
  if (!isShort(annotations)) return `its annotations are longer than ${LONGEST_ANNOTATIONS} characters`;
  return { listed: { ...read.data, annotations }, parameters };
}

/** JSON that is so deep that it has no text is long too. */
function isShort(annotations: unknown): boolean {
  try {
    return JSON.stringify(annotations ?? null).length <= LONGEST_ANNOTATIONS;
  } catch {
    return false;
  }
}

function checkNames(
  key: "tools" | "protected",
  patterns: readonly string[],
  known: ReadonlySet<string>,
  server: McpServerSettings,
): void {
  for (const pattern of patterns) {
    if (pattern.includes("*") || known.has(pattern)) continue;
    const near = nearest(pattern, known);
    throw new McpServerError(
      server.name,
      `${called(server)} has no tool "${pattern}", which ${key} names${near ? `; did you mean "${near}"?` : "."} It has ${shown([...known].sort())}.`,
    );
  }
}

function noticesOf(
  server: McpServerSettings,
  left: readonly string[],
  beyond: number,
  listed: number,
): readonly string[] {
  const notices = left.length === 0 ? [] : [`${called(server)}: left out ${shown(left)}.`];
  if (beyond > 0)
    notices.push(
      `${called(server)} has ${listed} tools; the first ${MOST_TOOLS} are used. Name those that you need in its tools.`,
    );
  if (listed === 0 && left.length === 0) notices.push(`${called(server)} offers no tools.`);
  return notices;
}

function shown(items: readonly string[]): string {
  if (items.length === 0) return "none";
  const more = items.length > 10 ? `, and ${items.length - 10} more` : "";
  return `${items.slice(0, 10).join(", ")}${more}`;
}

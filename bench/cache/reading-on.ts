import type { Turn } from "@agentpool/core";
import type { SentBlock, SentBody } from "./sent-body.ts";

interface Hit {
  readonly path: string;
  readonly lines: readonly [number, number];
}

/** Lines that are read around a hit. */
const around = 20;

/**
 * The engine reports as soon as it has enough; a language model reads on. An agent that would report before it has had
 * `turns` turns reads around the best hit it has not looked at yet, as long as there is one.
 */
export function readingOn(turn: Turn, { messages, tools = [], tool_choice }: SentBody, turns: number): Turn {
  const said = messages.filter(({ role }) => role === "assistant").flatMap(({ content }) => content);
  const taken = messages.filter(({ role }) => role === "assistant").length;
  const reads = tools.some(({ name }) => name === "read") && tool_choice?.type !== "tool";
  if (!reads || taken + 1 >= turns || !turn.calls.some(({ tool }) => tool === "report")) return turn;
  const known = said.filter(({ name }) => name === "read").map(({ input }) => input as Partial<Reading>);
  const next = hitsIn(messages.flatMap(({ content }) => content)).find(
    (hit) => !known.some((reading) => covers(reading, hit)),
  );
  if (next === undefined) return turn;
  const [from, to] = [Math.max(1, next.lines[0] - around), next.lines[1] + around];
  const input = JSON.stringify({ path: next.path, from, to });
  return { ...turn, text: undefined, calls: [{ id: `read_${taken}`, tool: "read", input }] };
}

interface Reading {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

const covers = ({ path, from = 1, to = Number.POSITIVE_INFINITY }: Partial<Reading>, hit: Hit): boolean =>
  path === hit.path && from <= hit.lines[1] && to >= hit.lines[0];

function hitsIn(blocks: readonly SentBlock[]): Hit[] {
  return blocks.flatMap(({ type, content }) => {
    if (type !== "tool_result" || typeof content !== "string") return [];
    try {
      const { kind, hits } = JSON.parse(content) as {
        readonly kind?: string;
        readonly hits?: readonly Hit[];
      };
      return kind === "snippets" && hits ? hits : [];
    } catch {
      return [];
    }
  });
}

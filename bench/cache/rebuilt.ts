import { type Piece, piecesOf, type SentBody } from "./sent-body.ts";

/**
 * The same request from a runtime that puts each prompt together anew: its system text begins with what the agent is
 * about and, where `state` says so, with how far it is. Tools, instructions and messages are the same, and everything
 * that can be kept is: the tools, the system text, and all there is so far.
 */
export function rebuilt(body: SentBody, state: "every turn" | "per agent"): Piece[] {
  const task = body.messages[0]?.content[0]?.text ?? "";
  const turn = body.messages.filter(({ role }) => role === "assistant").length + 1;
  const header = state === "every turn" ? `Turn ${turn}. Task: ${task}` : `Task: ${task}`;
  const pieces = piecesOf({ ...body, system: [{ type: "text", text: header }, ...(body.system ?? [])] });
  const tools = body.tools?.length ?? 0;
  return pieces.map((piece, at) =>
    at === tools - 1 || at === pieces.length - 1 || at === tools ? { ...piece, isBreakpoint: true } : piece,
  );
}

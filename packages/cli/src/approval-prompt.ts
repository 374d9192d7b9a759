import { createInterface } from "node:readline";
import type { Approval, ApprovalDesk } from "@agentpool/core";
import { action, createQueue, type Operation, resource, spawn } from "effection";
import type { Io } from "./io.ts";
import { oneLine } from "./printable.ts";

/** Shows a person what to decide, and that it was. */
export type Say = (text: string) => void;

/** Where calls that need a person are brought before one. */
export interface ApprovalPrompt {
  ask(approval: Approval): void;
  /** Whether somebody answers here. */
  readonly answers: boolean;
}

export interface Asking {
  readonly io: Pick<Io, "stdin" | "stderr">;
  readonly approvals: ApprovalDesk;
  readonly say: Say;
  /** Whether calls can wait for a decision from elsewhere, since their run is recorded. */
  readonly recorded: boolean;
}

/**
 * Asks at the terminal about each call that needs a person, one after another. Where there is none, calls of a
 * recorded run wait for a decision from elsewhere; others are denied, and the model reads why.
 */
export const useApprovalPrompt = ({
  io: { stdin, stderr },
  approvals,
  say,
  recorded,
}: Asking): Operation<ApprovalPrompt> =>
  resource(function* (provide) {
    if (!stdin.isTTY || !stderr.isTTY) {
      yield* provide({
        answers: false,
        ask({ id, tool, args }) {
          if (recorded) {
            say(
              `${oneLine(`${tool} ${JSON.stringify(args)}`, 160)} waits for a person: pool approve ${id}, or pool deny ${id}`,
            );
            return;
          }
          approvals.deny(id, "there is no terminal to ask a person at");
          say(`${tool} needs approval, and there is no terminal to ask at: denied.`);
        },
      });
      return;
    }
    const asked = createQueue<Approval, never>();
    yield* spawn(function* () {
      for (;;) {
        const { value } = yield* asked.next();
        yield* decide(value, stdin, approvals, say);
      }
    });
    yield* provide({ answers: true, ask: (approval) => asked.add(approval) });
  });

function* decide(approval: Approval, stdin: Io["stdin"], approvals: ApprovalDesk, say: Say): Operation<void> {
  const { id, agent, tool, args, reason, reviews = [] } = approval;
  const isOpen = (): boolean => approvals.list().some((open) => open.id === id);
  const reviewed = reviews
    .map(
      ({ model, todo }) => ` Reviewed by ${model}: passed${todo ? `, still to do: ${oneLine(todo)}` : ""}.`,
    )
    .join("");
  const call = oneLine(`${tool} ${JSON.stringify(args)}`, 160);
  for (let again = ""; isOpen(); again = "Answer y or n. ") {
    say(`${again}${reason}: ${agent} wants to call ${call}.${reviewed} Approve? y, or n and why: `);
    const answer = readDecision(yield* readLine(stdin));
    if (!isOpen()) return;
    if (answer?.approved) approvals.approve(id);
    else if (answer) approvals.deny(id, answer.reason);
    if (answer) say(`${answer.approved ? "Approved" : "Denied"}: ${call}`);
  }
}

/** `y` or `n`, and after an `n` why. */
export function readDecision(
  line: string,
): { readonly approved: boolean; readonly reason?: string } | undefined {
  const [, word = "", rest = ""] = /^\s*(\p{L}*)[\s,:;.]*(.*?)\s*$/su.exec(line) ?? [];
  if (/^(y|yes)$/i.test(word)) return { approved: true };
  if (/^(n|no)$/i.test(word)) return { approved: false, ...(rest === "" ? {} : { reason: rest }) };
  return undefined;
}

const readLine = (stdin: Io["stdin"]): Operation<string> =>
  action<string>((resolve) => {
    const lines = createInterface({ input: stdin, terminal: false });
    lines.once("line", (line) => resolve(line));
    return () => {
      lines.close();
      stdin.pause();
    };
  });

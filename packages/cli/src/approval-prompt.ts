import { createInterface } from "node:readline";
import type { Approval, ApprovalDesk, Journal } from "@agentpool/core";
import { action, createQueue, type Operation, race, resource, spawn, until, withResolvers } from "effection";
import type { Io } from "./io.ts";
import { oneLine } from "./printable.ts";
import type { Progress } from "./progress.ts";
import { reviewLine } from "./review-line.ts";

/** Where calls that need a person are brought before one. */
export interface ApprovalPrompt {
  ask(approval: Approval): void;
  /** It was decided, here or elsewhere, or nobody has to any more: nothing is asked about it. */
  over(id: string): void;
  /** Whether somebody answers here. */
  readonly answers: boolean;
}

export interface Asking {
  readonly io: Pick<Io, "stdin" | "stderr">;
  readonly approvals: ApprovalDesk;
  /** Shows a person what to decide, and that it was. */
  readonly shown: Pick<Progress, "say" | "ask" | "answered">;
  /** The record, where there is one: then calls can wait for a decision from elsewhere. */
  readonly journal?: Pick<Journal, "flush"> | undefined;
  /** The flags with which other commands find that record. */
  readonly found?: string | undefined;
}

/**
 * Asks at the terminal about each call that needs a person, one after another. Where there is none, calls of a
 * recorded run wait for a decision from elsewhere; others are denied, and the model reads why.
 */
export const useApprovalPrompt = ({
  io: { stdin, stderr },
  approvals,
  shown,
  journal,
  found = "",
}: Asking): Operation<ApprovalPrompt> =>
  resource(function* (provide) {
    const asked = createQueue<Approval, never>();
    const { say } = shown;
    let current:
      | { readonly id: string; readonly over: ReturnType<typeof withResolvers<undefined>> }
      | undefined;
    const answers = stdin.isTTY === true && stderr.isTTY === true;
    if (!answers && !journal) {
      yield* provide({
        answers,
        over() {},
        ask({ id, tool }) {
          approvals.deny(id, "there is no terminal to ask a person at");
          say(`${tool} needs approval, and there is no terminal to ask at: denied.`);
        },
      });
      return;
    }
    yield* spawn(function* () {
      for (;;) {
        const { value } = yield* asked.next();
        if (answers) {
          current = { id: value.id, over: withResolvers<undefined>() };
          yield* decide(value, { stdin, approvals, shown, over: current.over.operation });
        } else if (journal) yield* tell(value, { journal, found, say });
      }
    });
    yield* provide({
      answers,
      ask: (approval) => asked.add(approval),
      over(id) {
        if (current?.id === id) current.over.resolve(undefined);
      },
    });
  });

/** Says how to decide elsewhere, once the call can be found there. */
function* tell(
  { id, tool, args }: Approval,
  {
    journal,
    found,
    say,
  }: { readonly journal: Pick<Journal, "flush">; readonly found: string; readonly say: Progress["say"] },
): Operation<void> {
  const written = journal.flush();
  if (written) yield* until(Promise.resolve(written));
  const call = oneLine(`${tool} ${JSON.stringify(args)}`, 160);
  say(`${call} waits for a person: pool approve ${id}${found}, or pool deny ${id}${found}`);
}

interface Deciding extends Pick<Asking, "approvals" | "shown"> {
  readonly stdin: Io["stdin"];
  /** Settles once there is nothing to decide any more. */
  readonly over: Operation<undefined>;
}

function* decide(approval: Approval, { stdin, approvals, shown, over }: Deciding): Operation<void> {
  const { id, agent, tool, args, reason, reviews = [] } = approval;
  const isOpen = (): boolean => approvals.list().some((open) => open.id === id);
  const reviewed = reviews.map((review) => ` ${reviewLine(review)}`).join("");
  const call = oneLine(`${tool} ${JSON.stringify(args)}`, 160);
  for (let again = ""; isOpen(); again = "Answer y or n. ") {
    shown.ask(`${again}${reason}: ${agent} wants to call ${call}.${reviewed} Approve? y, or n and why: `);
    const line = yield* race([readLine(stdin), over]);
    shown.answered({ entered: line !== undefined });
    if (line === undefined || !isOpen()) return;
    const answer = readDecision(line);
    if (answer?.approved) approvals.approve(id);
    else if (answer) approvals.deny(id, answer.reason);
    if (answer) shown.say(`${answer.approved ? "Approved" : "Denied"}: ${call}`);
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

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
    let current: { readonly id: string; readonly over: ReturnType<typeof withResolvers<Typed>> } | undefined;
    const answers = stdin.isTTY === true && stderr.isTTY === true;
    function* elsewhere(approval: Approval): Operation<void> {
      if (journal) return yield* tell(approval, { approvals, journal, found, say });
      approvals.deny(approval.id, "there is no terminal to ask a person at");
      say(`${approval.tool} needs approval, and there is no terminal to ask at: denied.`);
    }
    yield* spawn(function* () {
      for (let isThere = answers; ; ) {
        const { value } = yield* asked.next();
        if (isThere) {
          current = { id: value.id, over: withResolvers<Typed>() };
          isThere = yield* decide(value, { stdin, approvals, shown, over: current.over.operation });
        }
        if (!isThere) yield* elsewhere(value);
      }
    });
    yield* provide({
      answers,
      ask: (approval) => asked.add(approval),
      over(id) {
        if (current?.id === id) current.over.resolve({ type: "over" });
      },
    });
  });

interface Telling {
  readonly approvals: ApprovalDesk;
  readonly journal: Pick<Journal, "flush">;
  readonly found: string;
  readonly say: Progress["say"];
}

/** Says how to decide elsewhere, once the call can be found there. */
function* tell(approval: Approval, { approvals, journal, found, say }: Telling): Operation<void> {
  const written = journal.flush();
  if (written) yield* until(Promise.resolve(written));
  const { id } = approval;
  // a run that is taken up asks again about what was decided meanwhile
  if (!approvals.list().some((open) => open.id === id)) return;
  say(`${callOf(approval)} waits for a person: pool approve ${id}${found}, or pool deny ${id}${found}`);
}

/** What came of a question: a line, an end of all lines (ctrl-d), or nobody has to answer any more. */
type Typed =
  | { readonly type: "line"; readonly line: string }
  | { readonly type: "end" }
  | { readonly type: "over" };

interface Deciding extends Pick<Asking, "approvals" | "shown"> {
  readonly stdin: Io["stdin"];
  /** Settles once there is nothing to decide any more. */
  readonly over: Operation<Typed>;
}

/** Asks until it is decided. False: nobody will type here any more. */
function* decide(approval: Approval, { stdin, approvals, shown, over }: Deciding): Operation<boolean> {
  const { id, agent, reason, reviews = [] } = approval;
  const isOpen = (): boolean => approvals.list().some((open) => open.id === id);
  const reviewed = reviews.map((review) => ` ${reviewLine(review)}`).join("");
  const call = callOf(approval);
  for (let again = ""; isOpen(); again = "Answer y or n. ") {
    shown.ask(`${again}${reason}: ${agent} wants to call ${call}.${reviewed} Approve? y, or n and why: `);
    const typed = yield* race([readLine(stdin), over]);
    shown.answered({ entered: typed.type === "line" });
    if (typed.type === "end") return !isOpen();
    if (typed.type === "over" || !isOpen()) return true;
    const answer = readDecision(typed.line);
    if (answer?.approved) approvals.approve(id);
    else if (answer) approvals.deny(id, answer.reason);
    if (answer) shown.say(`${answer.approved ? "Approved" : "Denied"}: ${call}`);
  }
  return true;
}

/** A call as a person judges it. */
const callOf = ({ tool, args }: Approval): string => oneLine(`${tool} ${JSON.stringify(args)}`, 400);

/** `y` or `n`, and after an `n` why. */
export function readDecision(
  line: string,
): { readonly approved: boolean; readonly reason?: string } | undefined {
  const [, word = "", rest = ""] = /^\s*(\p{L}*)[\s,:;.]*(.*?)\s*$/su.exec(line) ?? [];
  if (/^(y|yes)$/i.test(word)) return { approved: true };
  if (/^(n|no)$/i.test(word)) return { approved: false, ...(rest === "" ? {} : { reason: rest }) };
  return undefined;
}

const readLine = (stdin: Io["stdin"]): Operation<Typed> =>
  action<Typed>((resolve) => {
    const lines = createInterface({ input: stdin, terminal: false });
    lines.once("line", (line) => resolve({ type: "line", line }));
    const onEnd = () => resolve({ type: "end" });
    lines.once("close", onEnd);
    return () => {
      lines.removeListener("close", onEnd);
      lines.close();
      stdin.pause();
    };
  });

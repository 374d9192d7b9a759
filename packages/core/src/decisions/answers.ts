import type { Cancel, Refuse, RequireApproval, Substitute } from "../values/answer.ts";
import type { Outcome } from "../values/call.ts";
import { toJson } from "./result.ts";

/** A hook answered something it may not. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

export const abstains = (answer: unknown): answer is undefined | null | { type: "proceed" } =>
  answer === undefined || answer === null || typeOf(answer) === "proceed";

/** That a person has to be asked. */
export interface NeedsApproval {
  readonly type: "approval";
  readonly reason: string;
}

/** What a guard's `decide` means for its call; undefined where it abstains. */
export function readDecision(answer: unknown, guard: string): Outcome | NeedsApproval | undefined {
  if (abstains(answer)) return undefined;
  const given = answer as Partial<Refuse> | Partial<Cancel> | Partial<Substitute> | Partial<RequireApproval>;
  // own properties only: what an object inherits is no answer
  if (typeOf(answer) !== given.type) throw malformed(answer, DECISIONS);
  switch (given.type) {
    case "refuse":
      return { type: "refused", guard, message: readText(given.message, "refuse", "message") };
    case "cancel":
      return { type: "cancelled", guard, message: readText(given.message, "cancel", "message") };
    case "substitute":
      return { type: "substituted", guard, value: toJson(readField(given, "result")) };
    case "requireApproval":
      return { type: "approval", reason: readText(given.reason, "requireApproval", "reason") };
    default:
      throw malformed(answer, DECISIONS);
  }
}

const DECISIONS = "refuse, cancel, substitute, requireApproval, or nothing";

/** What a predicate guard's `reject` said. */
export function readReject(answer: unknown): boolean {
  if (typeof answer === "boolean") return answer;
  if (answer === undefined || answer === null) return false;
  throw malformed(answer, "true or false");
}

/** An answer at another moment: of one of the accepted types, or an abstention. */
export function readAnswer<T extends { readonly type: string }>(
  answer: unknown,
  accepted: { readonly [K in T["type"]]: (answer: Extract<T, { type: K }>) => boolean },
): T | undefined {
  if (abstains(answer)) return undefined;
  const type = typeOf(answer);
  if (type !== undefined && Object.hasOwn(accepted, type)) {
    const fits = accepted[type as T["type"]];
    if (fits(answer as Extract<T, { type: T["type"] }>)) return answer as T;
  }
  throw malformed(answer, `${Object.keys(accepted).join(", ")}, or nothing`);
}

export const isMessage = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "";

const typeOf = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && Object.hasOwn(answer, "type")
    ? String((answer as { type: unknown }).type)
    : undefined;

function readText(text: unknown, type: string, field: string): string {
  if (isMessage(text)) return text;
  throw new MalformedAnswer(`{ type: "${type}" } needs a ${field}`);
}

function readField(answer: object, field: string): unknown {
  if (Object.hasOwn(answer, field) && (answer as Record<string, unknown>)[field] !== undefined)
    return (answer as Record<string, unknown>)[field];
  throw new MalformedAnswer(`the answer needs a ${field}`);
}

const malformed = (answer: unknown, accepted: string): MalformedAnswer =>
  new MalformedAnswer(`found ${describe(answer)}; accepted: ${accepted}`);

function describe(value: unknown): string {
  const type = typeOf(value);
  if (type !== undefined) return `{ type: ${JSON.stringify(type)} }`;
  return value === null ? "null" : typeof value === "object" ? "an object without a type" : typeof value;
}

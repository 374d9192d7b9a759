import type { Sample } from "../contenders/contender.ts";

/** What the process of a contender is told. */
export type Request =
  | { readonly type: "open"; readonly contender: string; readonly settings: object }
  | { readonly type: "round" };

/** What it answers, once for each request. */
export type Reply =
  | { readonly type: "opened" }
  | { readonly type: "sampled"; readonly sample: Sample }
  | { readonly type: "failed"; readonly reason: string };

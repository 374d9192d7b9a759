import type { GuardInput, Tool, ToolGuard, ToolLifecycleHooks } from "@agentpool/core";
import { z } from "zod";
import { ask } from "./support.ts";

export const urlDedup = {
  name: "url_dedup",
  reject: ({ args, attended }: GuardInput) => {
    const url = String(args.url ?? "").trim();
    return url !== "" && attended().some((a) => String(a.url ?? "").trim() === url);
  },
  message: "This URL was already attempted in this run. Try a different source.",
} satisfies ToolGuard;

/** A tool as a class, the way the page declares hooks on one. */
export class FetchPage implements Tool {
  readonly name: string = "fetch_page";
  readonly description = "Fetches a page.";
  readonly parameters = z.object({ url: z.string().optional() });
  readonly hooks: ToolLifecycleHooks = { beforeDispatch: [urlDedup] };
  readonly fetched: string[] = [];
  execute(args: { [key: string]: unknown }): unknown {
    this.fetched.push(String(args.url));
    return `the page ${args.url}`;
  }
}

export const fetchOf = (url?: string) => ask("fetch_page", url === undefined ? {} : { url });

import { type Args, type ToolContext, ToolRetryError } from "@agentpool/core";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, McpError, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { clean } from "./clean.ts";
import type { Connection } from "./connection.ts";
import { resultOf, ServedFailure } from "./result.ts";
import { called } from "./server-config.ts";
import { FOREVER, whilePending } from "./while-pending.ts";

/** Progress of one call that is passed on. */
const MOST_PROGRESS = 500;
/** Milliseconds to the next attempt where a server was too busy to take a call. */
const RETRY_AFTER = 1_000;

/**
 * Calls a server's tool by the server's name for it. A halt of the call is told to the server.
 *
 * @throws ToolRetryError where the server certainly did not take the call: it could not be reached, or was too busy.
 */
export async function callTool(
  connection: Connection,
  tool: string,
  args: Args,
  ctx: ToolContext,
): Promise<unknown> {
  if (connection.ending() !== undefined) throw gone(connection);
  let progress = 0;
  try {
    const result = await whilePending(ctx.signal, (signal) =>
      connection.client.request(
        {
          method: "tools/call",
          // the same for every attempt, so that a server can tell a call that it has already done
          params: { name: tool, arguments: { ...args }, _meta: { "agentpool/call": ctx.id } },
        },
        CallToolResultSchema,
        {
          signal,
          timeout: FOREVER,
          onprogress: (sent) => {
            if (progress++ < MOST_PROGRESS) ctx.progress(inWords(sent));
          },
        },
      ),
    );
    return resultOf(result);
  } catch (error) {
    throw failureOf(error, connection);
  }
}

const inWords = ({ progress, total, message }: Progress): string => {
  const far = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? far : `${clean(message, 500)} (${far})`;
};

const gone = (connection: Connection): Error =>
  new Error(
    `${called(connection.server)} has ended (${connection.ending()}). Its tools cannot be used in this run any more: use another, or report what you have.`,
  );

/** A failure in words for the model, or one that is worth another attempt. */
function failureOf(error: unknown, connection: Connection): Error {
  if (error instanceof ServedFailure) return error;
  const said = connection.saying(error);
  if (error instanceof StreamableHTTPError && (error.code === 429 || error.code === 503))
    return new ToolRetryError(`${called(connection.server)} is too busy: ${said}`, RETRY_AFTER);
  if (neverSent(error))
    return new ToolRetryError(`${called(connection.server)} cannot be reached: ${said}`, RETRY_AFTER);
  if (connection.ending() !== undefined)
    return new Error(
      `${called(connection.server)} ended in the middle of the call (${connection.ending()}): nobody knows whether it was done.`,
    );
  if (error instanceof McpError) return new Error(said);
  return new Error(`${called(connection.server)} gave no result: ${said}`);
}

/** Nobody listens where it should be: no byte of the call was sent. */
function neverSent(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(String(cause?.code));
}

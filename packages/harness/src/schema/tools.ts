import { z } from "zod";
import { key, milliseconds, names, text } from "./keys.ts";

const reference = `what stands in the environment is written \${NAME}`;

const servedNames = (description: string) => names("names of its tools, * for any part", description);

export const mcpServer = key(
  z.strictObject({
    command: text("a program", "The program that is the server.").optional(),
    args: names("arguments", `Its arguments; ${reference}.`).optional(),
    env: key(
      z.record(z.string(), z.string()),
      "a map of names to text",
      `Its environment, beside PATH, HOME and the like; ${reference}.`,
    ).optional(),
    cwd: text("a folder", "Where it runs, from this file's folder, which is the default.").optional(),
    url: key(
      z.url({ protocol: /^https?$/ }),
      "an http or https URL",
      `Where the server is reached, over streamable HTTP; ${reference}.`,
    ).optional(),
    headers: key(
      z.record(z.string(), z.string()),
      "a map of header names to text",
      `Sent with every request; ${reference}.`,
    ).optional(),
    tools: servedNames("Its tools that agents have. Default: all that it lists.").optional(),
    protected: servedNames("Its tools that run only where policy.grants has them.").optional(),
    consequential: key(
      z.enum(["destructive", "all", "none"]),
      "destructive, all or none",
      "Which of its tools are consequential, so that steps that call them are reviewed: those that declare themselves destructive (the default), all, or none.",
    ).optional(),
    timeoutMs: milliseconds("What a call of its tools may take. Default 120,000.").optional(),
    startTimeoutMs: milliseconds(
      "How long it may take until it has listed its tools. Default 60,000.",
    ).optional(),
  }),
  "a map of command, args, env and cwd, or of url and headers; and of tools, protected, consequential, timeoutMs and startTimeoutMs",
  "An MCP server.",
);

export const corpus = key(
  z.strictObject({
    path: key(
      z.union([
        text("a path", "A folder, a file or a glob."),
        z.array(text("a path", "A folder, a file or a glob.")).min(1),
      ]),
      "a folder, a file, a glob, or a list of them",
      "The documents, from the folder of this file.",
    ),
  }),
  "a map with path",
  "Documents to research.",
);

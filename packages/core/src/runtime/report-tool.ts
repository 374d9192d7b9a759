import { z } from "zod";
import { defineTool } from "../values/tool.ts";

/** The usual terminal tool: an agent calls it once, with what it found, and is done. */
export const reportTool = defineTool({
  name: "report",
  description: "Reports what you found and ends your task. Say plainly what you could not find.",
  parameters: z.object({
    result: z.string().describe("What you found, answering your task."),
    sources: z.array(z.string()).optional().describe("Where you found it: paths or URLs you have read."),
  }),
  idempotent: true,
  execute: ({ result }) => result,
});

import { z } from "zod";
import { key } from "./keys.ts";

export const guard = key(
  z.union([
    z.literal(false),
    z.strictObject({
      scope: key(
        z.enum(["lineage", "cohort"]),
        "lineage or cohort",
        "Whose reads the guard looks at: the agent's own and its ancestors', or everybody's.",
      ).optional(),
    }),
  ]),
  "false, or { scope: lineage } or { scope: cohort }",
  "Switches a guard off, or says whose reads it looks at.",
);

import { EFFORTS } from "@agentpool/core";
import { z } from "zod";
import { key } from "./keys.ts";

export const effort = (description: string) =>
  key(z.enum(EFFORTS), `one of ${EFFORTS.join(", ")}`, description);

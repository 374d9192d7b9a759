import { extractive } from "@agentpool/models";
import { conformance, registerConformance } from "@agentpool/models/conformance";
import { describe, it } from "vitest";

registerConformance(
  conformance("extractive", () => extractive()),
  { describe, it },
);

import { describe, it } from "vitest";
import { conformance, registerConformance } from "../conformance/index.ts";
import { extractive } from "./extractive.ts";

registerConformance(
  conformance("extractive", () => extractive()),
  { describe, it },
);

import { defineTool, type ToolLifecycleHooks } from "@agentpool/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tightened } from "./tightened.ts";

const tool = (name: string) =>
  defineTool({ name, description: name, parameters: z.object({}), execute: () => name });
const [a, b]: ToolLifecycleHooks[] = [{ name: "a" }, { name: "b" }];

describe("a job's own hooks and lists", () => {
  it("add to the harness's, whose come first", () => {
    const harness = { hooks: [a!], deny: ["shell"], requireApproval: ["send"] };
    const own = { hooks: [b!], deny: ["wire"], requireApproval: ["pay"] };
    expect(tightened(harness, own, ["shell", "send", "wire", "pay"].map(tool))).toEqual({
      hooks: [a, b],
      deny: ["shell", "wire"],
      requireApproval: ["send", "pay"],
    });
  });

  it("left out leave the harness's as they are", () => {
    const harness = { hooks: [a!], deny: ["shell"], requireApproval: ["send"] };
    expect({ ...harness, ...tightened(harness, {}, []) }).toEqual(harness);
  });

  it("an empty list of a job takes nothing back", () => {
    expect(tightened({ hooks: [a!], deny: ["shell"] }, { hooks: [], deny: [] }, [tool("shell")])).toEqual({
      hooks: [a],
      deny: ["shell"],
    });
  });

  it("beside them names of the harness that select no tool of the job are left out; patterns and identities stay", () => {
    const harness = { deny: ["shell", "mcp:*", "local:write"] };
    expect(tightened(harness, { deny: ["wire"] }, [tool("write"), tool("wire")])).toMatchObject({
      deny: ["mcp:*", "local:write", "wire"],
    });
  });
});

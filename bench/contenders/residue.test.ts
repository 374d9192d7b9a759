import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { holdings, left } from "./residue.ts";

describe("what is left", () => {
  it("is nothing where nothing was opened", async () => {
    expect(left(await holdings(), await holdings())).toBe(0);
  });

  it("counts a timer that nobody cleared", async () => {
    const before = await holdings();
    const timer = setTimeout(() => {}, 60_000);
    const after = await holdings();
    clearTimeout(timer);
    expect(left(before, after)).toBe(1);
  });

  it("counts a socket that stayed open, as handle and as descriptor where those can be counted", async () => {
    const before = await holdings();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const after = await holdings();
    await new Promise((resolve) => server.close(resolve));
    expect(left(before, after)).toBeGreaterThanOrEqual(1);
    expect(left(before, await holdings())).toBe(0);
  });
});

import { existsSync, readdirSync } from "node:fs";
import { createServer, get, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { defineTool, parallel, reportTool, runPool, ToolRetryError } from "@agentpool/core";
import { scripted } from "@agentpool/models";
import { sleep } from "effection";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";

// In real time, with real requests: a halt must leave nothing of the process in use.

let server: Server;
let asked: () => void = () => {};
const parameters = z.object({});

beforeAll(async () => {
  server = createServer(() => asked()); // takes requests and never answers
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
const descriptors = (): number => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);

it("a halt leaves no timer, socket or descriptor behind", async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const request = defineTool({
    name: "request",
    description: "Never answers.",
    parameters,
    execute: (_args, { signal }) =>
      new Promise((resolve, reject) => {
        get(url, { signal, agent: false }, resolve).on("error", reject);
      }),
  });
  const wait = defineTool({
    name: "wait",
    description: "Takes an hour.",
    parameters,
    *execute() {
      yield* sleep(3_600_000);
    },
  });
  const busy = defineTool({
    name: "busy",
    description: "Is always busy.",
    parameters,
    execute: () => {
      throw new ToolRetryError("busy", 3_600_000);
    },
  });
  const model = scripted(() => [{ calls: [request, wait, busy].map(({ name }) => ({ tool: name })) }]);
  const play = async (): Promise<void> => {
    const reached = new Promise<void>((resolve) => {
      let requests = 0;
      asked = () => {
        if (++requests === 4) resolve();
      };
    });
    const pool = runPool({
      model,
      tools: [request, wait, busy],
      terminal: reportTool,
      orchestrate: parallel(["a", "b", "c", "d"]),
      budget: { concurrentTools: 100, concurrentGenerations: 100 },
    });
    await reached;
    await pool.halt();
    while (sockets() > 1) await new Promise((resolve) => setImmediate(resolve)); // the server sees its ends close
  };
  await play(); // what the process keeps for good, it has after the first
  const before = { timers: timers(), descriptors: descriptors() };
  for (let round = 0; round < 3; round++) await play();
  expect(timers()).toBeLessThanOrEqual(before.timers);
  expect(descriptors()).toBeLessThanOrEqual(before.descriptors);
});

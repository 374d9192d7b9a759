import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openPostgres } from "../src/engine/postgres.ts";
import { hasPostgres, startPostgres } from "./postgres.ts";

const patience = { connecting: 2_000, writing: 1_000, reading: 1_000, migrating: 1_000, leaving: 50 };

/** A server on a port of its own; where it listens. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as { port: number }).port;
}

test("a server that takes a connection and says nothing is not waited for", async () => {
  const port = await listen(createServer({ allowHalfOpen: true }));
  await expect(openPostgres(`postgres://ada:secret@127.0.0.1:${port}/runs`, patience)).rejects.toMatchObject({
    name: "StoreError",
    problem: "unreachable",
    message: expect.stringContaining(`ada:…@127.0.0.1:${port}/runs does not answer`),
  });
});

describe.skipIf(!hasPostgres)("a server that falls silent (apt-get install postgresql)", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());

  /** What stands between a client and the server, and may keep to itself what either says, and that the client left. */
  async function between() {
    const { port } = new URL(server.url);
    let isSilent = false;
    let last: string | undefined;
    const proxy = createServer({ allowHalfOpen: true }, (client) => {
      const there = connect(Number(port), "127.0.0.1");
      there.on("error", () => {}).on("close", () => !isSilent && client.end());
      client.on("close", () => isSilent || there.destroy());
      onTestFinished(() => void there.destroy());
      client.on("data", (data) => {
        isSilent ||= last !== undefined && data.includes(last);
        if (!isSilent) there.write(data);
      });
      there.on("data", (data) => !isSilent && client.write(data));
    });
    const url = server.url.replace(port, String(await listen(proxy)));
    return {
      url,
      fallSilent: () => {
        isSilent = true;
      },
      /** From when the client says this. */
      fallSilentAt: (text: string) => {
        last = text;
      },
      speak: () => {
        isSilent = false;
      },
    };
  }

  const silence = {
    name: "StoreError",
    problem: "unreachable",
    message: expect.stringContaining("does not answer"),
  };

  test("is waited for no longer than that, in a write, a read, a moment that is read and a change of the schema, and is left", async () => {
    const there = await between();
    const engine = await openPostgres(there.url, patience);
    await engine.script("create table silences (value integer);");
    const stop = engine.watch(() => {});
    const insert = (value: number) =>
      engine.write([{ sql: "insert into silences values (?)", params: [value] }]);
    await insert(1);
    there.fallSilent();
    const waiting = [
      insert(2),
      engine.all("select 1"),
      engine.snapshot(({ all }) => all("select 1")),
      engine.script("create table others (value integer);"),
    ];
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ status: "rejected", reason: silence });
    stop();
    await engine.close();
  });

  test("is kept from nothing by a client that vanishes in the middle of a transaction", async () => {
    const there = await between();
    const vanishing = await openPostgres(there.url, patience);
    const other = await openPostgres(server.url, { ...patience, writing: 20_000 });
    await other.script("create table claims (value integer primary key);");
    const claim = { sql: "insert into claims values (1)", params: [] };
    there.fallSilentAt("vanished");
    await expect(
      vanishing.write([claim, { sql: "select \u0027vanished\u0027", params: [] }]),
    ).rejects.toMatchObject(silence);
    await vanishing.close();
    await other.write([claim]);
    expect(await other.all("select value from claims")).toEqual([{ value: 1 }]);
    await other.close();
  });

  test("is spoken to again over new connections, and what it did not hear of did not happen", async () => {
    const there = await between();
    const engine = await openPostgres(there.url, patience);
    onTestFinished(() => engine.close());
    await engine.script("create table hearings (value integer);");
    const insert = (value: number) =>
      engine.write([{ sql: "insert into hearings values (?)", params: [value] }]);
    await insert(1);
    there.fallSilent();
    await expect(insert(2)).rejects.toMatchObject(silence);
    there.speak();
    await insert(3);
    expect(await engine.all("select value from hearings order by value")).toEqual([
      { value: 1 },
      { value: 3 },
    ]);
  });
});

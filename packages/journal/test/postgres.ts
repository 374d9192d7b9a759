import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Debian keeps servers of several versions beside each other, and none of them in the path. */
const DEBIAN = "/usr/lib/postgresql";

const bin = (): string | undefined =>
  existsSync(DEBIAN)
    ? readdirSync(DEBIAN)
        .map((version) => join(DEBIAN, version, "bin"))
        .find((folder) => existsSync(join(folder, "initdb")))
    : undefined;

/** Whether there is a PostgreSQL to test with: `apt-get install postgresql`. */
export const hasPostgres = bin() !== undefined;

/** The server refuses to run as root: as nobody, then. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A server of its own: a folder, a port. `stop` takes both away again. */
export async function startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "agentpool-postgres-"));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  execFileSync(join(bin()!, "initdb"), ["-D", data, "-U", "pool", "-A", "trust", "-N"], {
    ...options,
    stdio: "ignore",
  });
  const port = await freePort();
  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: "off" };
  const server = spawn(
    join(bin()!, "postgres"),
    ["-D", data, "-p", String(port), ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
    { ...options, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise<void>((resolve) => {
    server.once("close", () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("ready to accept connections")) resolve();
    });
    ended.then(() => reject(new Error(`PostgreSQL did not start: ${said}`)));
  });
  return {
    url: `postgres://pool@127.0.0.1:${port}/postgres`,
    async stop() {
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

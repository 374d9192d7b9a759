import type { Client, Notification } from "pg";

/** Where writers say that they wrote. */
export const CHANNEL = "agentpool";

/** A connection that a server does not close keeps no process from ending. The client's types do not know of this. */
export const letGo = (client: Client): void => (client as Client & { unref(): void }).unref();

/** One connection that listens, while anybody does. Where it breaks, those who listen look by themselves. */
export class PostgresListener {
  readonly #make: () => Client;
  readonly #leaving: number;
  readonly #listening = new Set<() => void>();
  #client: Promise<Client | undefined> | undefined;

  /** `leaving`: milliseconds for the server to close the connection. */
  constructor(make: () => Client, leaving: number) {
    this.#make = make;
    this.#leaving = leaving;
  }

  add(heard: () => void): () => void {
    this.#listening.add(heard);
    this.#client ??= this.#listen();
    return () => this.#listening.delete(heard);
  }

  async #listen(): Promise<Client | undefined> {
    const client = this.#make();
    client.on("error", () => {});
    client.on("notification", (_: Notification) => {
      for (const heard of this.#listening) heard();
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      // what was announced before it listened
      for (const heard of this.#listening) heard();
      return client;
    } catch {
      letGo(client);
      return undefined;
    }
  }

  async close(): Promise<void> {
    const client = await this.#client;
    if (!client) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#leaving);
    });
    await Promise.race([client.end().catch(() => {}), late]);
    clearTimeout(timer);
    letGo(client);
  }
}

import { freemem } from "node:os";
import { ConfigurationError } from "@agentpool/core";

/** Bytes that this process may still take, also where it runs in a container. */
export const availableMemory = (): number => process.availableMemory?.() ?? freemem();

export interface Needs {
  /** What it is for, in words. */
  readonly what: string;
  /** Bytes of main memory. */
  readonly bytes: number;
  /** What takes less. */
  readonly instead: string;
}

/** @throws ConfigurationError where there is less memory than is needed. */
export function checkMemory(
  name: string,
  { what, bytes, instead }: Needs,
  available = availableMemory(),
): void {
  if (bytes <= available) return;
  throw new ConfigurationError(
    `model: ${name}: too little memory: ${what} takes ${readable(bytes)}, and ${readable(available)} is free; ${instead}`,
  );
}

const readable = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;

#!/usr/bin/env node
import { existsSync } from "node:fs";

// In the workspace the source runs, unbuilt; what is published has no source.
const source = new URL("../src/index.ts", import.meta.url);
if (existsSync(source)) await import("./from-source.js");
const { leave, main } = await import(existsSync(source) ? source.href : "../dist/index.js");
leave(await main(process.argv.slice(2)));

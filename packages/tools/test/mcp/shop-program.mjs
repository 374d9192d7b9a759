// The shop as a program. SHOP_LOG: a file that it writes what it does to.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { shop } from "./shop.mjs";

await shop({ log: process.env.SHOP_LOG }).connect(new StdioServerTransport());

import { defineConfig } from "vitest/config";

// Packages are tested as source: the condition picks `src/index.ts` of each.
const conditions = ["@agentpool/source", "node", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "templates/*/test/**/*.test.ts",
      "bench/**/*.test.ts",
    ],
    testTimeout: 30_000,
    pool: "forks",
    // many tests wait for processes of their own: no core is kept free
    maxWorkers: "100%",
  },
});

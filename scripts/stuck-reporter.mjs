import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { root } from "./root.mjs";

/** Minutes that one file of tests may take: many times what the longest does. */
const MOST = 8;

/**
 * A reporter that ends a run in which a file of tests is stuck, and names it. A test's own timeout does not end one
 * whose process is blocked: by a loop without end, or by a program it waits for.
 */
export default class StuckReporter {
  #timers = new Map();

  onTestModuleStart({ moduleId }) {
    const stuck = () => {
      console.error(`\n${relative(root, moduleId)} is stuck: it has not ended after ${MOST} minutes.`);
      for (const child of children()) process.kill(child, "SIGKILL");
      process.exit(1);
    };
    this.#timers.set(moduleId, setTimeout(stuck, MOST * 60_000).unref());
  }

  onTestModuleEnd({ moduleId }) {
    clearTimeout(this.#timers.get(moduleId));
  }
}

/** The processes that run the tests: they would outlive this one. Linux says which they are. */
function children() {
  try {
    const listed = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
    return listed.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

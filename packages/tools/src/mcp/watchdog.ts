import { type ChildProcess, spawn } from "node:child_process";

/** Reads which process groups run, and which do not any more; at the end of its input it ends those that are left. */
const SCRIPT = `
groups=" "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
case $groups in *[0-9]*) ;; *) exit ;; esac
for signal in TERM KILL; do
  sleep 1
  for group in $groups; do kill -s $signal -- -"$group" 2>/dev/null; done
done`;

/**
 * Ends programs whose pool was killed with no chance to do so itself, by `kill -9` or for want of memory: a process of
 * its own, that learns of it by the end of its input. There is none on Windows.
 */
export class Watchdog {
  #shell: ChildProcess | undefined;

  /** Watches over a process group. */
  watch(group: number): void {
    this.#shell ??= started();
    this.#say(`+ ${group}`);
  }

  /** The group is gone: its number may be another's soon. */
  forget(group: number): void {
    this.#say(`- ${group}`);
  }

  /** Nothing is left to be watched over. */
  end(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #say(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

function started(): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  const shell = spawn("/bin/sh", ["-c", SCRIPT], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
  });
  // where there is no shell, servers are ended as long as this process can do it
  shell.on("error", () => {});
  shell.stdin.on("error", () => {});
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return shell;
}

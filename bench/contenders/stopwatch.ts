/** Starts measuring, on a heap without garbage. The function it returns gives what has passed since. */
export function stopwatch(): () => { readonly wallMs: number; readonly cpuMs: number } {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    return { wallMs, cpuMs: (user + system) / 1_000 };
  };
}

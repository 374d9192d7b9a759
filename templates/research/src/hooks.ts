import type { ToolLifecycleHooks } from "@agentpool/core";
import { type Ledger, readReport } from "@agentpool/research";

/**
 * The harness's own opinions, for every pool: add guards (`beforeDispatch`) and hooks here. A guard's name can be set in
 * harness.yml.
 */
export const hooks: readonly ToolLifecycleHooks[] = [];

/** Enters what an agent has read into the ledger. */
export const witness = (ledger: Ledger): ToolLifecycleHooks => ({
  name: "witness",
  afterAdmit: ({ agent, call, result }) => ledger.record(agent.key, call.args, result),
});

/**
 * A floor under reports: something was read, and what is quoted stands there. The first report that does not hold is sent
 * back. A second one stands, and what does not stand in its source is taken out of it afterwards.
 */
export const evidence = (ledger: Ledger): ToolLifecycleHooks => ({
  name: "evidence",
  onReturn({ agent, call }) {
    if (agent.attendedCount === 0)
      return { type: "reject", message: "Search and read before you report, or say that nothing was found." };
    const findings = readReport(call?.args)?.findings ?? [];
    const wrong = findings.filter(
      ({ quote, path }) => ledger.verify({ quote, source: path }).type !== "verified",
    );
    if (wrong.length === 0) return undefined;
    const list = wrong.map(({ quote, path }) => `- ${path}: “${quote.slice(0, 80)}”`).join("\n");
    const message = `These do not stand in what was read:\n${list}\nQuote word by word, or leave them out.`;
    return { type: "reject", message };
  },
});

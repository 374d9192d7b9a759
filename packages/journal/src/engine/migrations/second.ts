import type { Migration } from "./migration.ts";

/**
 * Which model generated a turn: an agent of a list of models may have had several. Which calls ended their agents: of
 * those before, the ones that settled without having been dispatched. And agents by name, as turns and calls have them.
 */
export const second: Migration = ({ int }) => `
  create index agents_named on agents (run, agent);
  alter table turns add column model text;
  update turns set model = (select max(a.model) from agents a where a.run = turns.run and a.agent = turns.agent);
  alter table calls add column terminal ${int};
  update calls set terminal = case when dispatched_at is null and outcome in ('ok', 'error') then 1 else 0 end;`;

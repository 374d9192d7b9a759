import type { Migration } from "./migration.ts";

/** Entries, large texts, leases and decisions; what people query, derived from the entries; the entries as a view. */
export const first: Migration = ({ int, real, derived, rows, events }) => `
  create table entries (run text not null, first ${int} not null, count ${int} not null, body text not null,
    primary key (run, first))${rows};
  create table texts (run text not null, digest text not null, body text not null,
    primary key (run, digest))${rows};
  create table leases (run text primary key, owner text not null, place text not null, expires_at ${int} not null)${derived};
  create table decisions (run text not null, id text not null, decision text not null, reason text, decided_by text,
    at ${int} not null, primary key (run, id))${derived};
  create table runs (id text, question text, status text, started_at ${int}, ended_at ${int}, agents ${int}, turns ${int},
    calls ${int}, refusals ${int}, input_tokens ${int}, output_tokens ${int}, cached_tokens ${int}, cost ${real},
    origin text, settings text, answer text, error text, primary key (id))${derived};
  create table agents (run text, idx ${int}, agent text, pool text, parent text, depth ${int}, model text, task text,
    started_at ${int}, ended_at ${int}, exit text, reason text, result text, primary key (run, idx))${derived};
  create table turns (run text, idx ${int}, agent text, turn ${int}, attempt ${int}, forced ${int}, started_at ${int},
    ended_at ${int}, finish text, calls ${int}, input_tokens ${int}, output_tokens ${int}, cached_tokens ${int},
    context_tokens ${int}, cost ${real}, primary key (run, idx))${derived};
  create table calls (run text, idx ${int}, call text, agent text, turn ${int}, tool text, identity text, args text,
    outcome text, attended ${int}, attempts ${int}, dispatched_at ${int}, settled_at ${int}, ms ${int}, result text,
    primary key (run, idx))${derived};
  create table refusals (run text, idx ${int}, call text, agent text, turn ${int}, tool text, identity text, input text,
    kind text, guard text, message text, at ${int}, primary key (run, idx))${derived};
  create table approvals (run text, id text, agent text, call text, tool text, identity text, args text, digest text,
    question text, reviews text, state text, reason text, requested_at ${int}, decided_at ${int},
    primary key (run, id))${derived};
  create table reviews (run text, review ${int}, agent text, turn ${int}, attempt ${int}, subject text, asked text,
    verdict text, problem text, message text, model text, effort text, remembered ${int}, input_tokens ${int},
    output_tokens ${int}, cached_tokens ${int}, cost ${real}, ms ${int}, at ${int}, primary key (run, review))${derived};
  create table sources (run text, source text, title text, lines text, read_by text, quotations ${int},
    primary key (run, source))${derived};
  create index runs_started on runs (started_at);
  create index approvals_open on approvals (state);
  ${events}`;

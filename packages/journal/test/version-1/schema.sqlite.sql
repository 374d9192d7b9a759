CREATE TABLE agentpool_schema (version integer primary key);
CREATE TABLE entries (run text not null, first integer not null, count integer not null, body text not null,
      primary key (run, first)) strict;
CREATE TABLE texts (run text not null, digest text not null, body text not null,
      primary key (run, digest)) strict;
CREATE TABLE leases (run text primary key, owner text not null, place text not null, expires_at integer not null) strict, without rowid;
CREATE TABLE decisions (run text not null, id text not null, decision text not null, reason text, decided_by text,
      at integer not null, primary key (run, id)) strict, without rowid;
CREATE TABLE runs (id text, question text, status text, started_at integer, ended_at integer, agents integer, turns integer, calls integer, refusals integer, input_tokens integer, output_tokens integer, cached_tokens integer, cost real, origin text, settings text, answer text, error text, primary key (id)) strict, without rowid;
CREATE TABLE agents (run text, idx integer, agent text, pool text, parent text, depth integer, model text, task text, started_at integer, ended_at integer, exit text, reason text, result text, primary key (run, idx)) strict, without rowid;
CREATE TABLE turns (run text, idx integer, agent text, turn integer, attempt integer, forced integer, started_at integer, ended_at integer, finish text, calls integer, input_tokens integer, output_tokens integer, cached_tokens integer, context_tokens integer, cost real, primary key (run, idx)) strict, without rowid;
CREATE TABLE calls (run text, idx integer, call text, agent text, turn integer, tool text, identity text, args text, outcome text, attended integer, attempts integer, dispatched_at integer, settled_at integer, ms integer, result text, primary key (run, idx)) strict, without rowid;
CREATE TABLE refusals (run text, idx integer, call text, agent text, turn integer, tool text, identity text, input text, kind text, guard text, message text, at integer, primary key (run, idx)) strict, without rowid;
CREATE TABLE approvals (run text, id text, agent text, call text, tool text, identity text, args text, digest text, question text, reviews text, state text, reason text, requested_at integer, decided_at integer, primary key (run, id)) strict, without rowid;
CREATE TABLE reviews (run text, review integer, agent text, turn integer, attempt integer, subject text, asked text, verdict text, problem text, message text, model text, effort text, remembered integer, input_tokens integer, output_tokens integer, cached_tokens integer, cost real, ms integer, at integer, primary key (run, review)) strict, without rowid;
CREATE TABLE sources (run text, source text, title text, lines text, read_by text, quotations integer, primary key (run, source)) strict, without rowid;
CREATE INDEX runs_started on runs (started_at);
CREATE INDEX approvals_open on approvals (state);
CREATE VIEW events as
  select e.run as run, e.first + j.key as idx, j.value ->> 'at' as at, j.value ->> 'type' as type,
    j.value ->> 'agent' as agent, j.value ->> 'call' as call, j.value as body
  from entries e, json_each(e.body) j;

create table agentpool_schema (version bigint primary key);
create table entries (run text not null, first bigint not null, count bigint not null, body text not null,
primary key (run, first));
create table texts (run text not null, digest text not null, body text not null,
primary key (run, digest));
create table leases (run text primary key, owner text not null, place text not null, expires_at bigint not null);
create table decisions (run text not null, id text not null, decision text not null, reason text, decided_by text,
at bigint not null, primary key (run, id));
create table runs (id text, question text, status text, started_at bigint, ended_at bigint, agents bigint, turns bigint, calls bigint, refusals bigint, input_tokens bigint, output_tokens bigint, cached_tokens bigint, cost double precision, origin text, settings text, answer text, error text, primary key (id));
create table agents (run text, idx bigint, agent text, pool text, parent text, depth bigint, model text, task text, started_at bigint, ended_at bigint, exit text, reason text, result text, primary key (run, idx));
create table turns (run text, idx bigint, agent text, turn bigint, attempt bigint, forced bigint, started_at bigint, ended_at bigint, finish text, calls bigint, input_tokens bigint, output_tokens bigint, cached_tokens bigint, context_tokens bigint, cost double precision, primary key (run, idx));
create table calls (run text, idx bigint, call text, agent text, turn bigint, tool text, identity text, args text, outcome text, attended bigint, attempts bigint, dispatched_at bigint, settled_at bigint, ms bigint, result text, primary key (run, idx));
create table refusals (run text, idx bigint, call text, agent text, turn bigint, tool text, identity text, input text, kind text, guard text, message text, at bigint, primary key (run, idx));
create table approvals (run text, id text, agent text, call text, tool text, identity text, args text, digest text, question text, reviews text, state text, reason text, requested_at bigint, decided_at bigint, primary key (run, id));
create table reviews (run text, review bigint, agent text, turn bigint, attempt bigint, subject text, asked text, verdict text, problem text, message text, model text, effort text, remembered bigint, input_tokens bigint, output_tokens bigint, cached_tokens bigint, cost double precision, ms bigint, at bigint, primary key (run, review));
create table sources (run text, source text, title text, lines text, read_by text, quotations bigint, primary key (run, source));
create index runs_started on runs (started_at);
create index approvals_open on approvals (state);
create view events as
select e.run as run, e.first + j.place - 1 as idx, (j.value ->> 'at')::bigint as at, j.value ->> 'type' as type,
j.value ->> 'agent' as agent, j.value ->> 'call' as call, j.value as body
from entries e, json_array_elements(e.body::json) with ordinality as j(value, place);
// What `--help` of each command about recorded runs says beyond its flags.

export const RESUME = `
It goes on where the record ends: agents that had finished return what they found, calls that were made are not made
again, and nobody is asked twice. The harness is loaded as it is now; flags of then stand, and those given here come
on top.

It takes up a run that is interrupted or waiting, and one that was stopped at once by two ctrl-c. A run that wound down to
a partial brief has come to its end.

Examples:
  pool resume latest
  pool approve 3f9a1c && pool resume 20260131
  pool resume latest --wait        stay, and go on when somebody decides elsewhere

Exit codes: 3 while everybody waits for people; otherwise those of pool run.`;

export const FORK = `
What was done up to that turn stands, whoever did it, and is not done again; what came after is decided anew. The run
it comes from stays as it is. pool show RUN --agent AGENT shows an agent's turns.

Examples:
  pool fork latest --at research/2:3 --message "Look at the changelog instead."
  pool fork latest --at research/0:1 --model anthropic/claude-sonnet-4-5
  pool fork 20260131 --at research/1:0 --guard read_dedup.scope=cohort --deny shell
  pool fork latest --at research/1:0 -f other.yml       with another harness`;

export const ASK = `
A new run of the same harness, with its own record; pool show says what it follows up on. Its agents know the question
and the answer of before, and look again for what that does not say. The extractive model takes from them what "it",
"these" or "and in 1920?" are about, and quotes documents, as ever.

Examples:
  pool ask latest "And which of these can be switched off?"
  pool ask 20260131 --model anthropic/claude-sonnet-4-5 "What would change if …?"`;

export const RUNS = `
Examples:
  pool runs
  pool runs --json | jq -r '.[] | select(.status == "interrupted") | .id'
  pool runs --store postgres://pool@db.example/runs

A run is running, waiting (for people), interrupted (its process is gone: it crashed, or was told to end by a signal),
cancelled (its person ended it with ctrl-c), completed or failed. pool resume carries on with one that is interrupted,
and with one that was cancelled at once, by two ctrl-c; pool show says which it is.`;

export const SHOW = `
Examples:
  pool show latest
  pool show 20260131 --agent research/2      one agent, with what its calls gave
  pool show latest --no-brief
  pool show latest --json | jq '.agentViews[] | {agent, exit, turns: (.turns | length)}'`;

export const TRACE = `
Examples:
  pool trace latest --type call:refused
  pool trace latest --agent research/0 --type call: --type turn:
  pool trace latest --json | jq -r 'select(.type == "call:dispatched") | .tool' | sort | uniq -c`;

export const GUARDS = `
No model and no tool runs: every call of the record is taken through its gates again, in its order: denies, grants,
guards, limits, approvals; and every turn through the limits of turns, tokens, dollars and time. Without --set or
--harness the settings are those of harness.yml as it is now. Out comes a table of the calls that something else would
have become of, what that saves, and the yaml to paste. A call is refused by its guard, by deny, by auth_reject (no
grant) or by limit; one that would wait for a person is neither refused nor allowed: it is asked. An agent that a limit
stops reports in place of its next turn; the calls that came after are not made.

--set takes NAME.scope=cohort, NAME.scope=lineage, NAME=false and NAME=true of a guard; deny=TOOL, requireApproval=TOOL
and grants=TOOL, which add to what there is (nothing after = takes all away); maxTurns=N; maxToolCalls=N;
maxCallsPerTool.TOOL=N; maxTokens=N; maxCost=DOLLARS; wallClock.soft=MS; wallClock.hard=MS.

Not known, and said where it matters ("notKnown" in JSON): what the model would have done next; what a call that is
allowed here would have given; what a person would have said, or a reviewer; what a guard was whose code has changed
since; what a guard says that breaks here; what an agent would have reported earlier, or done with more than it had.

Examples:
  pool guards latest --set url_dedup.scope=cohort
  pool guards latest --set query_dedup=false --set read_dedup.scope=cohort
  pool guards latest --set deny=shell --set maxCallsPerTool.search=5
  pool guards latest --set maxTurns=6
  pool guards 20260131 --harness other.yml --json | jq .tokensSaved
  pool guards --suggest`;

export const EXPORT = `
The document has the format "agentpool-run": { run, entries }: what pool show --json and pool trace --json print. What
models may not see is not in it.

Examples:
  pool export latest -o run.json
  pool export 20260131 | gzip > run.json.gz`;

export const PRUNE = `
Runs that are running or wait for people stay.

Examples:
  pool prune --older-than 30d --dry-run
  pool prune --keep 100`;

export const APPROVALS = `
Examples:
  pool approvals
  pool approvals --json | jq -r '.[].id'
  pool approvals --all --run latest`;

export const DECIDE = `
The first decision stands; one that comes later fails with exit code 1, and says who decided what. A run that is
running goes on by itself; another is taken up with pool resume.

Examples:
  pool approve 3f9a1c
  pool deny 3f9a1c --reason "Not before Monday."`;

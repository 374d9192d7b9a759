import { ConfigurationError } from "@agentpool/core";
import { loadHarness, type Models, useModels } from "@agentpool/harness";
import { describeRoutes, type Probed, probe, type Route, type RouteSettings } from "@agentpool/models";
import { all, type Operation, scoped } from "effection";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type HarnessFlags, settingsOf } from "../harness-flags.ts";
import type { Console } from "../io.ts";
import { type Palette, paletteFor } from "../palette.ts";
import { oneLine } from "../printable.ts";
import { table } from "../table.ts";
import { lasting } from "../words.ts";

export interface ModelsFlags extends HarnessFlags {
  readonly json?: boolean;
  /** False with --no-ask. */
  readonly ask?: boolean;
}

/** What is known of one model of a route. */
type Answer = Probed | { readonly type: "unasked" } | { readonly type: "refused"; readonly reason: string };

interface Shown extends Route {
  readonly answers: readonly Answer[];
}

/** `pool models`: which model each route gets, and whether it answers. */
export function* modelsCommand(io: Console, flags: ModelsFlags): Operation<ExitCode> {
  const { file, ask = true } = flags;
  const harness = loadHarness({
    cwd: io.cwd,
    env: io.env,
    flags: settingsOf(flags),
    ...(file === undefined ? {} : { file }),
  });
  for (const notice of harness.notices) io.err.write(`${notice}\n`);
  const shown = yield* scoped(function* () {
    const models = yield* useModels(harness, { env: io.env });
    const named = Object.keys(harness.config.models).filter((route) => !/[*[]/.test(route));
    const routes = describeRoutes(models, [...named, "*"]);
    return yield* answered(routes, models, ask);
  });
  if (flags.json) io.out.write(`${JSON.stringify(shown.map(jsonOf), null, 2)}\n`);
  else io.out.write(inRows(shown, paletteFor(io.stdout, io.env)));
  return shown.every(({ answers }) => answers.some(isUsable)) ? EXIT.done : EXIT.failed;
}

/** Asks every model once, whatever number of routes it has. */
function* answered(routes: readonly Route[], models: Models, ask: boolean): Operation<Shown[]> {
  const keys = new Map(routes.flatMap(({ targets }) => targets.map((target) => [keyOf(target), target])));
  const answers = yield* all(
    [...keys].map(([key, target]) =>
      (function* (): Operation<readonly [string, Answer]> {
        return [key, yield* answerOf(target, models, ask)];
      })(),
    ),
  );
  const known = new Map(answers);
  return routes.map((route) => ({
    ...route,
    answers: route.targets.map((target) => known.get(keyOf(target))!),
  }));
}

const keyOf = (target: RouteSettings): string => JSON.stringify(target);

/** A model file is read from the disk before it answers. */
const patience = { hosted: 15_000, local: 180_000 };

function* answerOf(target: RouteSettings, models: Models, ask: boolean): Operation<Answer> {
  try {
    const model = models.alone(target);
    if (!ask) return { type: "unasked" };
    const timeoutMs = target.model.startsWith("llama:") ? patience.local : patience.hosted;
    return yield* probe(model, { timeoutMs });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { type: "refused", reason: error.message };
  }
}

const isUsable = ({ type }: Answer): boolean => type === "answers" || type === "unasked";

const HEAD = ["for", "model", "by", "answers"];

/** A table, and under it what is wrong, each once. */
function inRows(shown: readonly Shown[], palette: Palette): string {
  const troubles: string[] = [];
  const note = (reason: string): string => {
    const text = oneLine(reason.replace(/^model: /, ""), 400);
    if (!troubles.includes(text)) troubles.push(text);
    return palette.red(`no, ${troubles.indexOf(text) + 1})`);
  };
  const rows = shown.flatMap((route) => rowsOf(route, (answer) => inWords(answer, palette, note)));
  const notes = troubles.map((text, at) => `\n${at + 1}) ${text}`).join("");
  return `${table([HEAD, ...rows])}${notes}${notes === "" ? "" : "\n"}`;
}

const rowsOf = ({ asked, route, targets, answers }: Shown, words: (answer: Answer) => string): string[][] =>
  targets.map((target, at) => {
    const place = targets.length > 1 ? `${at + 1}. ` : "";
    return [
      at > 0 ? "" : asked === "*" ? "anything else" : asked,
      `${place}${oneLine(target.model)}${settingsIn(target)}`,
      at > 0 ? "" : route === undefined ? "model" : `models.${route}`,
      words(answers[at]!),
    ];
  });

function settingsIn({ model: _, cwd: __, ...settings }: RouteSettings): string {
  const said = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

function inWords(answer: Answer, palette: Palette, note: (reason: string) => string): string {
  switch (answer.type) {
    case "answers":
      return palette.green(`yes, in ${lasting(answer.ms)}`);
    case "unasked":
      return "not asked";
    case "fails":
    case "refused":
      return note(answer.reason);
  }
}

const jsonOf = ({ asked, route, targets, answers }: Shown) => ({
  for: asked,
  route: route ?? null,
  models: targets.map(({ cwd: _, ...target }, at) => ({ ...target, ...plainly(answers[at]!) })),
});

function plainly(answer: Answer): object {
  switch (answer.type) {
    case "answers":
      return { answers: true, ms: Math.round(answer.ms) };
    case "unasked":
      return { answers: null };
    case "fails":
      return { answers: false, kind: answer.kind, reason: answer.reason };
    case "refused":
      return { answers: false, kind: "configuration", reason: answer.reason };
  }
}

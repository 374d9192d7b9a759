import { type ChatTemplate, templateOf } from "./chat/renderer.ts";
import { Engine } from "./engine/engine.ts";
import { Lock } from "./engine/lock.ts";
import { patient, Seats } from "./engine/seats.ts";
import { type Opened, openModel } from "./native/open-model.ts";
import type { CheckedSettings } from "./settings.ts";
import { TokenTexts } from "./turn/token-text.ts";

/** A model in memory, with everything that its sessions share. */
export interface Loaded {
  readonly name: string;
  readonly settings: CheckedSettings;
  readonly engine: Engine;
  readonly seats: Seats;
  /** One fork at a time is prepared, so that what forks have in common is computed by the first of them alone. */
  readonly forking: Lock;
  readonly template: ChatTemplate;
  readonly texts: TokenTexts;
  readonly calls: NonNullable<CheckedSettings["calls"]>;
  /** A different number every time, the same in every run. */
  nextSeed(): number;
}

export async function load(
  file: string,
  name: string,
  settings: CheckedSettings,
  open: (file: string, name: string, settings: CheckedSettings) => Promise<Opened> = openModel,
): Promise<Loaded> {
  const { kernel, model, runtime } = await open(file, name, settings);
  try {
    const engine = new Engine(kernel);
    const template = templateOf(model, runtime.library);
    let seeds = 0;
    return {
      name,
      settings,
      engine,
      seats: new Seats(engine, patient(settings.patience)),
      forking: new Lock(),
      template,
      texts: new TokenTexts(model),
      calls: settings.calls ?? (template.syntax.native ? "free" : "choose"),
      nextSeed: () => (settings.seed + Math.imul(++seeds, 0x9e3779b1)) >>> 0,
    };
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

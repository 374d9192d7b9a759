import { type ChatTemplate, templateOf } from "./chat/renderer.ts";
import { Engine } from "./engine/engine.ts";
import { Lock } from "./engine/lock.ts";
import { patient, Seats } from "./engine/seats.ts";
import type { Sampler } from "./native/kernel.ts";
import { type Opened, openModel } from "./native/open-model.ts";
import type { CheckedSettings } from "./settings.ts";
import { TokenTexts } from "./turn/token-text.ts";

/** A model file in memory, with everything that its sessions share. */
export interface Shared {
  readonly engine: Engine;
  readonly seats: Seats;
  /** One fork at a time is prepared, so that what forks have in common is computed by the first of them alone. */
  readonly forking: Lock;
  readonly template: ChatTemplate;
  readonly texts: TokenTexts;
}

/** The same as one model uses it: how it speaks is its own. */
export interface Loaded extends Shared {
  readonly name: string;
  readonly settings: CheckedSettings;
  readonly calls: NonNullable<CheckedSettings["calls"]>;
  sampler(): Sampler;
  /** A different number every time, the same in every run. */
  nextSeed(): number;
}

export type Open = (file: string, name: string, settings: CheckedSettings) => Promise<Opened>;

export const load = async (
  file: string,
  name: string,
  settings: CheckedSettings,
  open: Open = openModel,
): Promise<Loaded> => speaking(await loadShared(file, name, settings, open), name, settings);

export async function loadShared(
  file: string,
  name: string,
  settings: CheckedSettings,
  open: Open,
): Promise<Shared> {
  const { kernel, model, runtime } = await open(file, name, settings);
  try {
    const engine = new Engine(kernel);
    return {
      engine,
      seats: new Seats(engine, patient(settings.patience)),
      forking: new Lock(),
      template: templateOf(model, runtime.library),
      texts: new TokenTexts(model),
    };
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

export function speaking(shared: Shared, name: string, settings: CheckedSettings): Loaded {
  let seeds = 0;
  return {
    ...shared,
    name,
    settings,
    calls: settings.calls ?? (shared.template.syntax.native ? "free" : "choose"),
    sampler: () => shared.engine.sampler(settings.temperature),
    nextSeed: () => (settings.seed + Math.imul(++seeds, 0x9e3779b1)) >>> 0,
  };
}

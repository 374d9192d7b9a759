import { z } from "zod";

/** The work of the first two rows, the same for everyone: each agent calls a tool in each of its turns, then answers. */
export interface TurnsSettings {
  readonly agents: number;
  /** Turns with a call; one more answers. */
  readonly turns: number;
}

export const system = "You find what is known.";

export const task = (agent: number): string => `Find what is known about subject ${agent}.`;

/** No two calls of a round are equal, so that no guard has anything to refuse. */
export const queryOf = (agent: number, turn: number): string => `subject ${agent} aspect ${turn}`;

export const answer = "done";

export const tool = {
  name: "search",
  description: "Searches the library.",
  parameters: z.object({ q: z.string() }),
  find: ({ q }: { readonly q: string }) => ({ hits: [q] }),
};

/** Throws unless every agent answered and every call was made. */
export function checkWork(
  { agents, turns }: TurnsSettings,
  did: { readonly answers: readonly unknown[]; readonly calls: number },
): void {
  const answered = did.answers.filter((text) => text === answer).length;
  if (answered !== agents || did.calls !== agents * turns)
    throw new Error(
      `${answered} of ${agents} agents answered, and ${did.calls} of ${agents * turns} calls were made`,
    );
}

/** Turns of a round, the answering ones included. */
export const unitsOf = ({ agents, turns }: TurnsSettings): number => agents * (turns + 1);

import pc from "picocolors";

export type Palette = Pick<
  ReturnType<typeof pc.createColors>,
  "bold" | "dim" | "green" | "yellow" | "red" | "cyan"
>;

interface Screen {
  readonly isTTY?: boolean | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether a stream gets colours: a terminal does, unless [NO_COLOR](https://no-color.org) is set or it is a dumb one.
 * FORCE_COLOR turns them on anywhere.
 */
export function hasColours(stream: Screen, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return stream.isTTY === true && env.TERM !== "dumb";
}

export const paletteFor = (stream: Screen, env: Environment): Palette =>
  pc.createColors(hasColours(stream, env));

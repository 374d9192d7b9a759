import { z } from "zod";

/** What a key of `harness.yml` is for, as editors show it, and what it takes, as errors say it. */
interface KeyMeta {
  readonly description: string;
  readonly takes: string;
}

export const key = <S extends z.ZodType>(schema: S, takes: string, description: string): S =>
  schema.meta({ description, takes } satisfies KeyMeta);

export const text = (takes: string, description: string) =>
  key(
    z.string().refine((value) => value.trim() !== "", { error: "is empty" }),
    takes,
    description,
  );

export const names = (what: string, description: string) =>
  key(z.array(z.string().min(1)), `a list of ${what}`, description);

export const flag = (description: string) => key(z.boolean(), "true or false", description);

export const count = (minimum: number, description: string) =>
  key(z.int().min(minimum), `a whole number, ${minimum} or more`, description);

export const share = (description: string) =>
  key(z.number().gt(0).max(1), "a share of the model's window, above 0 and at most 1", description);

export const milliseconds = (description: string) =>
  key(z.int().min(1), "milliseconds, 1 or more", description);

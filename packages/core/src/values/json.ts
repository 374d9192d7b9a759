/** A JSON value, as tools return it and models read it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The arguments of a call: a JSON object. */
export type Args = Record<string, unknown>;

/** A JSON Schema, as it is sent to a model. */
export type JsonSchema = { readonly [key: string]: unknown };

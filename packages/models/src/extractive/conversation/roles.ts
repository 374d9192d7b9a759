import type { ToolSchema } from "@agentpool/core";
import { isRecord } from "./exchanges.ts";

export interface SearchRole {
  readonly type: "search";
  /** The argument that takes the query. */
  readonly query: string;
  readonly limit: SearchLimit | undefined;
}

export interface ReadRole {
  readonly type: "read";
  /** The argument that takes the path or URL. */
  readonly source: string;
  /** Whether it takes `from` and `to`. */
  readonly ranged: boolean;
}

export interface PlanRole {
  readonly type: "plan";
  /** The argument that takes the questions. */
  readonly questions: string;
}

export interface BriefRole {
  readonly type: "brief";
  /** The argument that takes the sections. */
  readonly sections: string;
}

/** What a tool is good for, told by its name and the shape of its arguments. */
export type Role =
  | SearchRole
  | ReadRole
  | PlanRole
  | BriefRole
  | { readonly type: "list" }
  | { readonly type: "report" }
  | { readonly type: "unknown" };

/** The argument that says how many hits to give, and the most that it takes. */
export interface SearchLimit {
  readonly name: string;
  readonly most: number;
}

export interface ToolRole<R extends Role = Role> {
  readonly name: string;
  readonly schema: ToolSchema;
  readonly role: R;
}

const queryKeys = ["query", "q", "search", "question", "keywords", "terms"];
const limitKeys = ["limit", "max_results", "maxResults", "count", "top_k", "topK", "n"];
const sourceKeys = ["path", "url", "uri", "file", "page", "id", "title"];
const planKeys = ["questions", "subquestions", "sub_questions", "tasks", "steps", "plan"];
const reportKeys = ["findings", "quotations", "result", "report", "answer", "summary"];

export function roleOf(schema: ToolSchema): Role {
  const properties = propertiesOf(schema.parameters);
  const find = (keys: readonly string[], type: string): string | undefined =>
    keys.find((key) => Object.hasOwn(properties, key) && typeOf(properties[key]) === type);
  const name = schema.name.toLowerCase();
  if (find(["sections"], "array")) return { type: "brief", sections: "sections" };
  const questions = find(planKeys, "array");
  if (questions !== undefined) return { type: "plan", questions };
  const terminal = /report|answer|submit|finish|done|conclude|return/.test(name);
  if (terminal || find(["findings", "quotations"], "array")) {
    if (reportKeys.some((key) => Object.hasOwn(properties, key))) return { type: "report" };
  }
  const query = find(queryKeys, "string");
  if (query !== undefined && !/delegate|spawn|ask|agent/.test(name)) {
    const limit = find(limitKeys, "integer") ?? find(limitKeys, "number");
    return {
      type: "search",
      query,
      limit: limit === undefined ? undefined : limitOf(limit, properties[limit]),
    };
  }
  const source = find(sourceKeys, "string");
  if (source !== undefined && /read|open|fetch|get|view|page|file|load|cat/.test(name)) {
    return {
      type: "read",
      source,
      ranged: find(["from"], "integer") !== undefined || find(["from"], "number") !== undefined,
    };
  }
  if (/^(?:list|outline|ls|toc|index|glob)|_(?:list|outline)$|list_/.test(name)) return { type: "list" };
  return { type: "unknown" };
}

const limitOf = (name: string, schema: unknown): SearchLimit => {
  const most =
    isRecord(schema) && typeof schema.maximum === "number" ? schema.maximum : Number.POSITIVE_INFINITY;
  return { name, most };
};

export const propertiesOf = (schema: unknown): Record<string, unknown> =>
  isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};

const typeOf = (schema: unknown): string | undefined => {
  if (!isRecord(schema)) return undefined;
  if (typeof schema.type === "string") return schema.type;
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== "null");
  for (const key of ["anyOf", "oneOf"]) {
    const choices = schema[key];
    if (Array.isArray(choices)) {
      for (const choice of choices) {
        const type = typeOf(choice);
        if (type !== undefined && type !== "null") return type;
      }
    }
  }
  return undefined;
};

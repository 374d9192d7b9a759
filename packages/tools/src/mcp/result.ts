import { canonicalJson } from "@agentpool/core";
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js";

/** A tool that says itself that it failed, in its own words. */
export class ServedFailure extends Error {
  override readonly name = "ServedFailure";
}

/**
 * What a model reads of a tool's result: its text, or what it gave as a structure. Pictures, sounds and files are said
 * in words.
 *
 * @throws ServedFailure for a result that says that the tool failed.
 */
export function resultOf({ content, structuredContent, isError }: CallToolResult): unknown {
  const said = content.map(inWords).join("\n\n");
  if (isError) throw new ServedFailure(said.trim() === "" ? "it failed, and does not say why" : said);
  if (structuredContent === undefined) return said;
  return says(content, structuredContent) ? structuredContent : { structured: structuredContent, text: said };
}

/** Whether the content is nothing but the structure again, as servers send it for clients that know no better. */
function says(content: readonly ContentBlock[], structure: object): boolean {
  if (content.length === 0) return true;
  const [only] = content;
  if (content.length > 1 || only?.type !== "text") return false;
  try {
    return canonicalJson(JSON.parse(only.text)) === canonicalJson(structure);
  } catch {
    return false;
  }
}

function inWords(part: ContentBlock): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type}, ${part.mimeType}, ${bytesIn(part.data)} bytes: it cannot be shown here]`;
    case "resource_link": {
      const { uri, name, mimeType, description } = part;
      return `[resource ${name}: ${[uri, mimeType, description].filter(Boolean).join(", ")}]`;
    }
    case "resource": {
      const { resource } = part;
      if ("text" in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      const { uri, mimeType = "unknown kind", blob } = resource;
      return `[resource ${uri}, ${mimeType}, ${bytesIn(blob)} bytes: it cannot be shown here]`;
    }
  }
}

const bytesIn = (base64: string): number => Math.floor((base64.replace(/=+$/, "").length * 3) / 4);

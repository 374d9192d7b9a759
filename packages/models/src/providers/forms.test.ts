import type { GenerateRequest, JsonSchema, Message, Prefix, Session } from "@agentpool/core";
import { createAnthropic } from "@ai-sdk/anthropic";
import { run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fromAiSdk } from "../ai-sdk/from-ai-sdk.ts";
import { readTurn } from "../read-turn.ts";
import { formats } from "./formats.testing.ts";
import { resolveModel } from "./resolve-model.ts";
import { chatEvents, messageEvents, responseEvents, streamed, useWire } from "./wire.testing.ts";

const prefix: Prefix = {
  system: "You are brief.",
  tools: [{ name: "report", description: "Ends.", parameters: { type: "object" } }],
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const schemaOf = (type: z.ZodType) => z.toJSONSchema(type, { io: "input" }) as JsonSchema;
const strict = schemaOf(z.strictObject({ ready: z.boolean() }));
const loose = schemaOf(z.object({ ready: z.boolean(), note: z.string().optional() }));
const answering = (output: JsonSchema): GenerateRequest => ({ tools: [], output });
const bodies = (wire: { readonly received: readonly { readonly body: string }[] }) =>
  wire.received.map(({ body }) => JSON.parse(body));

function* turnOf(session: Session, request: GenerateRequest) {
  return (yield* readTurn(session.generate(request))).turn;
}

describe("structured output", () => {
  for (const [name, { model, events, words }] of Object.entries(formats)) {
    it(`is asked of ${name} by its own setting, and what comes is the schema's`, () =>
      run(function* () {
        const wire = yield* useWire(streamed(events({ text: '{"ready":true}', finish: words.stop })));
        const session = yield* model(wire.url).open({ ...prefix, tools: [] });
        yield* session.append([user("Ready?")]);
        expect(JSON.parse((yield* turnOf(session, answering(strict))).text!)).toEqual({ ready: true });
        expect(wire.received).toHaveLength(1);
        expect(wire.received[0]!.body).toMatch(/"(json_schema|input_schema)"/);
      }));
  }

  it("is strict at OpenAI only where the schema is, for it refuses the others", () =>
    run(function* () {
      const fine = streamed(responseEvents({ text: '{"ready":true}', finish: "completed" }));
      const wire = yield* useWire(fine, fine);
      const session = yield* formats.openai.model(wire.url).open(prefix);
      yield* session.append([user("Ready?")]);
      yield* turnOf(session, answering(strict));
      yield* turnOf(session, answering(loose));
      expect(bodies(wire).map(({ text, store }) => [text.format.strict, store])).toEqual([
        [true, false],
        [false, false],
      ]);
    }));

  it("and forced calls are said in words to a server that has no setting for them", () =>
    run(function* () {
      const wire = yield* useWire(
        streamed(chatEvents({ text: '{"ready":true}', finish: "stop" })),
        streamed(chatEvents({ calls: [{ id: "r", tool: "report", input: "{}" }], finish: "tool_calls" })),
      );
      const session = yield* resolveModel("openai-compatible/served", {
        providers: {
          "openai-compatible": { baseURL: wire.url, emulate: ["structuredOutput", "toolChoice"] },
        },
        env: {},
      }).open(prefix);
      yield* session.append([user("Ready?")]);
      yield* turnOf(session, answering(strict));
      yield* turnOf(session, { tools: ["report"], toolChoice: { tool: "report" } });
      const [structured, forced] = bodies(wire);
      expect(structured.response_format).toBeUndefined();
      expect(structured.messages.at(-1).content).toContain("fits this schema");
      expect(forced.tool_choice).toBe("auto");
      expect(forced.messages.at(-1).content).toContain("call the tool report");
      expect(forced.messages).toHaveLength(4);
    }));

  it("of a thinking Anthropic model, which cannot be forced to call, is said in words once its client has said so", () =>
    run(function* () {
      const report = streamed(
        messageEvents({ calls: [{ id: "r", tool: "report", input: "{}" }], finish: "tool_use" }),
      );
      const wire = yield* useWire(
        streamed(messageEvents({ text: "Hm.", finish: "end_turn" })),
        report,
        report,
      );
      const anthropic = createAnthropic({ apiKey: "k", baseURL: wire.url })("claude-sonnet-4-5");
      const thinking = { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } };
      const model = fromAiSdk(anthropic, { keepTools: true, settings: { providerOptions: thinking } });
      const session = yield* model.open(prefix);
      yield* session.append([user("Report.")]);
      const forced: GenerateRequest = { tools: ["report"], toolChoice: { tool: "report" } };
      expect((yield* turnOf(session, forced)).calls).toMatchObject([{ tool: "report" }]);
      const [first, second] = bodies(wire);
      expect(first.tool_choice.type).toBe("auto");
      expect(JSON.stringify(second.messages)).toContain("report was not called");
    }));

  it("finds objects that name no property in a form that everybody takes", () =>
    run(function* () {
      const wire = yield* useWire(streamed(chatEvents({ text: "Yes.", finish: "stop" })));
      const session = yield* formats["openai-compatible"].model(wire.url).open({
        system: "",
        tools: [
          { name: "bare", description: "", parameters: { type: "object" } },
          { name: "made", description: "", parameters: schemaOf(z.object({ q: z.string() })) },
        ],
      });
      yield* session.append([user("Go.")]);
      yield* turnOf(session, { tools: ["bare", "made"] });
      const [{ tools }] = bodies(wire);
      expect(tools[0].function.parameters).toEqual({ type: "object", properties: {} });
      expect(tools[1].function.parameters.$schema).toBeUndefined();
      expect(tools[1].function.parameters.properties.q).toEqual({ type: "string" });
    }));
});

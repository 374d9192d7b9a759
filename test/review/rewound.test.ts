import {
  type Agent,
  agentPool,
  defineTool,
  type Mark,
  type Model,
  type Prompt,
  parallel,
  reportTool,
  type Session,
  type Turn,
  useAgent,
} from "@agentpool/core";
import { extractive, readTurn, scripted } from "@agentpool/models";
import { reviewer } from "@agentpool/review";
import { type Operation, run } from "effection";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { noiseModel, useWatched } from "../../packages/llama/test/noise.ts";
import { answering } from "../../packages/models/src/extractive/tools.testing.ts";
import { formats } from "../../packages/models/src/providers/formats.testing.ts";
import { streamed, useWire } from "../../packages/models/src/providers/wire.testing.ts";
import { ask, play, report, textOf } from "../scenarios/support.ts";
import { breach, judging, pass, shop } from "./support.ts";

// A rejected call leaves no trace in what the model is sent: neither the call, nor its id, arguments or reasoning.

describe("the next attempt never sees the rejected calls", () => {
  it("on a scripted session, at the first breach and at those after it", () =>
    run(function* () {
      const { tools } = shop();
      const model = scripted(() => [
        ask("get_order", { order: 1 }),
        {
          reasoning: "Secretly.",
          calls: [{ tool: "cancel_order", args: { order: 4711 }, id: "rejected-1" }],
        },
        { reasoning: "Openly.", calls: [{ tool: "cancel_order", args: { order: 4712 }, id: "rejected-2" }] },
        report("no"),
      ]);
      yield* play({
        terminal: reportTool,
        orchestrate: parallel(["Cancel it."]),
        model,
        tools,
        reviewer: reviewer({ models: judging(breach("First correction."), breach("Second correction.")) }),
      });
      const [, second, third, fourth] = model.requests;
      const before = textOf(second!.messages).slice(0, -1);
      expect(textOf(third!.messages).startsWith(before)).toBe(true);
      expect(textOf(fourth!.messages).startsWith(before)).toBe(true);
      expect(textOf(third!.messages).slice(before.length)).toBe(
        ',{"role":"assistant","content":[{"type":"text","text":"First correction."}]},{"role":"user","content":[{"type":"text","text":"Go on from this reasoning."}]}]',
      );
      for (const trace of ["4711", "4712", "rejected", "Secretly", "Openly"])
        expect(textOf(fourth!.messages)).not.toContain(trace);
    }));

  for (const [name, { model, events, words }] of Object.entries(formats))
    it(`on the wire of ${name}, by the bytes that its real client sends`, () =>
      run(function* () {
        const { tools, cancelled } = shop();
        const call = (id: string, tool: string, args: object) =>
          streamed(events({ calls: [{ id, tool, input: JSON.stringify(args) }], finish: words.calls }));
        const say = (value: object) => streamed(events({ text: JSON.stringify(value), finish: words.stop }));
        const agent = yield* useWire(
          call("kept1", "get_order", { order: 1 }),
          call("rejected1", "cancel_order", { order: 4711, why: "because" }),
          call("kept2", "report", { result: "It has shipped." }),
        );
        const judge = yield* useWire(
          say({ passed: false, todo: null, adjustedReasoning: "It has shipped. I say so." }),
        );
        const result = yield* useAgent({
          model: model(agent.url),
          task: "Cancel it.",
          tools,
          terminal: reportTool,
          reviewer: reviewer({ models: model(judge.url) }),
        });
        expect(result).toMatchObject({ exit: "returned", result: "It has shipped.", refusals: [] });
        expect(cancelled).toEqual([]);
        const [, second, third] = agent.received.map(({ body }) => body);
        expect(agent.received).toHaveLength(3);
        expect(third).toContain("kept1");
        expect(third).toContain("It has shipped. I say so.");
        for (const trace of ["rejected1", "4711", "because"]) {
          expect(second).not.toContain(trace);
          expect(third).not.toContain(trace);
        }
        // what a provider's cache holds of the conversation is still its beginning
        const shared = second!.slice(0, second!.indexOf("kept1") + 5);
        expect(third!.startsWith(shared)).toBe(true);
        // and the reviewer was another conversation: it was shown the call, and no tools
        expect(judge.received).toHaveLength(1);
        expect(judge.received[0]!.body).toContain("4711");
        expect(judge.received[0]!.body).toContain("You review the work of an agent");
        expect(judge.received[0]!.body).not.toContain('"tool_choice"');
      }));

  it("on an extractive session: it goes on as one does that was never anywhere else", () =>
    run(function* () {
      const files = {
        "emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in December 1815.",
        "tea.md": "# Tea\n\nTea is a drink. The leaves are dried.",
      };
      const look = answering(files);
      const tool = (name: string, parameters: z.ZodObject, consequential: boolean) =>
        defineTool({
          name,
          description: name,
          parameters,
          consequential,
          execute(args) {
            const answer = look(name, args);
            if ("error" in answer) throw new Error(answer.error);
            return answer.value;
          },
        });
      const tools = [
        tool("search", z.object({ query: z.string() }), false),
        tool("read", z.object({ path: z.string(), from: z.int().optional(), to: z.int().optional() }), true),
      ];
      const watched = watching(extractive());
      const { exit } = yield* useAgent({
        model: watched.model,
        task: "Who wrote the novel Emma?",
        tools,
        terminal: reportTool,
        reviewer: reviewer({ models: judging(breach("I look in the file again, with care."), pass()) }),
      });
      expect(exit).toBe("returned");

      // the generation after the restart
      const at = watched.generations.findIndex(({ sent }) => textOf(sent).includes("with care"));
      const { sent, turn } = watched.generations[at]!;
      expect(at).toBeGreaterThan(0);
      expect(textOf(sent)).toContain("Emma is a novel"); // what was read before the step stays
      expect(textOf(sent).match(/"tool-call"/g)).toHaveLength(1); // the search; not the read that was sent back

      // the same as in a session that was sent just that
      const fresh = yield* extractive().open(watched.prefix());
      yield* fresh.append(sent);
      const { turn: again } = yield* readTurn(fresh.generate(watched.generations[at]!.request));
      expect({ ...turn, usage: undefined }).toEqual({ ...again, usage: undefined });
    }));

  it("on extractive sessions of agents side by side and of one that forks, sent back again and again: each turn is one that follows from what it was sent alone", () =>
    run(function* () {
      const look = answering({
        "emma.md": "# Emma\n\nEmma is a novel. It was written by Jane Austen and published in December 1815.",
        "tea.md": "# Tea\n\nTea is a drink. The leaves of tea are dried before they are sold.",
      });
      const tool = (name: string, parameters: z.ZodObject) =>
        defineTool({
          name,
          description: name,
          parameters,
          consequential: true,
          execute(args) {
            const answer = look(name, args);
            if ("error" in answer) throw new Error(answer.error);
            return answer.value;
          },
        });
      const watched = watching(extractive());
      let reviews = 0;
      const { agents } = yield* agentPool({
        model: watched.model,
        tools: [
          tool("search", z.object({ query: z.string() })),
          tool("read", z.object({ path: z.string(), from: z.int().optional(), to: z.int().optional() })),
        ],
        terminal: reportTool,
        *orchestrate({ spawn, waitFor }) {
          const asked = ["Who wrote the novel Emma?", "What is done with the leaves of tea?"];
          const both: Agent[] = [];
          for (const [at, task] of asked.entries()) both.push(yield* spawn({ task, key: `${at}` }));
          for (const agent of both) yield* waitFor(agent);
          yield* waitFor(yield* spawn({ task: "When was Emma published?", key: "2", parent: both[0]! }));
        },
        // every other step is sent back
        reviewer: reviewer({
          models: scripted(() => () => (reviews++ % 2 === 0 ? breach(`Correction ${reviews}.`) : pass())),
        }),
      });
      expect(agents.map(({ exit }) => exit)).toEqual(["returned", "returned", "returned"]);
      const corrected = watched.generations.filter(({ sent }) => textOf(sent).includes("Correction"));
      expect(corrected.length).toBeGreaterThan(6);
      for (const { sent, request, turn } of watched.generations) {
        const fresh = yield* extractive().open(watched.prefix());
        yield* fresh.append(sent);
        const { turn: again } = yield* readTurn(fresh.generate(request));
        expect({ ...turn, usage: undefined }).toEqual({ ...again, usage: undefined });
      }
    }));
});

/** A model whose sessions keep what they were sent, as the model below them was, and what came of it. */
function watching(model: Model) {
  let prefix: Parameters<Model["open"]>[0] | undefined;
  const generations: {
    sent: Prompt;
    request: Parameters<Session["generate"]>[0];
    turn: Turn;
  }[] = [];
  const wrap = (session: Session, sent: Prompt): Session => ({
    get tokens() {
      return session.tokens;
    },
    *append(messages) {
      sent.push(...messages);
      yield* session.append(messages);
    },
    *fork(): Operation<Session> {
      return wrap(yield* session.fork(), [...sent]);
    },
    mark: () => ({ inner: session.mark(), length: sent.length }) as Mark,
    *rewind(to) {
      const { inner, length } = to as { inner: Mark; length: number };
      sent.length = length;
      yield* session.rewind(inner);
    },
    generate: (request) => ({
      *[Symbol.iterator]() {
        const shown = [...sent];
        const { turn, deltas } = yield* readTurn(session.generate(request));
        generations.push({ sent: shown, request, turn });
        sent.push({
          role: "assistant",
          content: [
            ...(turn.text ? [{ type: "text" as const, text: turn.text }] : []),
            ...turn.calls.map(({ id, tool, input }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName: tool,
              input: JSON.parse(input),
            })),
          ],
        });
        const left = deltas.map((value) => ({ done: false as const, value }));
        return {
          *next() {
            return left.shift() ?? { done: true as const, value: turn };
          },
        };
      },
    }),
  });
  return {
    generations,
    prefix: () => prefix!,
    model: {
      ...model,
      id: "watched",
      *open(given: Parameters<Model["open"]>[0]) {
        prefix = given;
        return wrap(yield* model.open(given), []);
      },
    } satisfies Model,
  };
}

describe("a model in this process", () => {
  it("computes the next attempt from what was before the step: nothing of it is left in its sequence", () =>
    run(function* () {
      const path = noiseModel({ habits: { "<|im_end|>": 4.5, '"': 8, "]": 6, "}": 6 } });
      const model = yield* useWatched(path, { calls: "always", maxTokens: 1_000, sequences: 1 });
      const look = defineTool({
        name: "look",
        description: "Looks something up.",
        parameters: z.object({ what: z.string().min(8).max(20) }),
        execute: () => "It was looked up.",
      });
      const sequences: string[] = [];
      yield* useAgent({
        model,
        system: "You look things up, and report.",
        task: "Look it up.",
        tools: [look],
        terminal: { ...reportTool, consequential: true },
        budget: { maxTurns: 1 },
        review: true,
        reviewer: reviewer({ models: judging(breach("I look with care this time."), pass()) }),
        onEvent(event) {
          if (event.type !== "turn:completed") return;
          const { sequence } = model.kernel.batches.at(-1)!.at(-1)!;
          sequences.push(model.loaded.texts.plain([...model.kernel.held[sequence]!], []));
        },
      });
      const [first, second] = sequences.map((text) => text.slice(text.lastIndexOf("Look it up.")));
      expect(first).toMatch(/^Look it up\.\s*assistant\s*\|\|call: /);
      expect(second).toMatch(/^Look it up\.\s*assistant\s*I look with care this time\./);
      const prefixOf = (text: string) => text.slice(0, text.lastIndexOf("Look it up."));
      expect(prefixOf(sequences[1]!)).toBe(prefixOf(sequences[0]!));
    }));
});

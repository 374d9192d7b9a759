import type { GenerateRequest, Mark, Prompt } from "@agentpool/core";
import { messagesAt } from "../conversation.ts";
import type { ScriptedAgent, ScriptedMoment } from "./script.ts";

/** The messages are put together only if somebody looks. */
export class Moment implements ScriptedMoment {
  readonly key: string;
  readonly task: string;
  readonly turn: number;
  readonly request: GenerateRequest;
  readonly #shown: Mark;

  constructor(agent: ScriptedAgent, turn: number, request: GenerateRequest, shown: Mark) {
    this.key = agent.key;
    this.task = agent.task;
    this.turn = turn;
    this.request = request;
    this.#shown = shown;
  }

  get messages(): Prompt {
    return messagesAt(this.#shown);
  }
}

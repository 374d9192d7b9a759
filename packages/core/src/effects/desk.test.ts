import { describe, expect, it } from "vitest";
import { Desk } from "./desk.ts";

const question = { id: "q" };

describe("a desk", () => {
  it("gives one answer to all who put the same question, and shows it once", () => {
    const desk = new Desk<typeof question, string>("question");
    const heard: string[] = [];
    for (const who of ["a", "b"]) desk.ask(question, (answer) => heard.push(`${who}: ${answer}`));
    expect(desk.list()).toEqual([question]);
    desk.answer("q", "yes");
    expect(heard).toEqual(["a: yes", "b: yes"]);
    expect(() => desk.answer("q", "no")).toThrow("was answered before");
  });

  it("keeps a question for whoever still waits when another takes it back, and forgets it after the last", () => {
    const desk = new Desk<typeof question, string>("question");
    const heard: string[] = [];
    const leave = desk.ask(question, (answer) => heard.push(`a: ${answer}`));
    const stay = desk.ask(question, (answer) => heard.push(`b: ${answer}`));
    leave();
    leave();
    desk.answer("q", "yes");
    expect(heard).toEqual(["b: yes"]);
    const again = desk.ask(question, (answer) => heard.push(`c: ${answer}`));
    stay(); // of the question that was answered
    expect(desk.list()).toEqual([question]);
    again();
    expect(desk.list()).toEqual([]);
  });
});

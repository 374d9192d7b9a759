import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../values/errors.ts";
import { checkedOverrides, guardSettings } from "./overrides.ts";

describe("guard settings", () => {
  it("are lineage unless widened, and off where switched off", () => {
    const settings = guardSettings({ a: { scope: "cohort" }, b: false }, ["a", "b", "c"]);
    expect(["a", "b", "c"].map(settings.of)).toEqual([
      { enabled: true, scope: "cohort" },
      { enabled: false },
      { enabled: true, scope: "lineage" },
    ]);
  });

  for (const name of ["constructor", "toString", "hasOwnProperty"])
    it(`treat a guard called ${name} as any other`, () => {
      expect(guardSettings({}, [name]).of(name)).toEqual({ enabled: true, scope: "lineage" });
      expect(guardSettings({ [name]: false }, [name]).of(name)).toEqual({ enabled: false });
      expect(() => guardSettings({ [name]: false }, ["other"])).toThrow(ConfigurationError);
    });

  for (const value of [true, null, "cohort", 1, { scope: "all" }, { scop: "cohort" }])
    it(`refuse ${JSON.stringify(value)}, saying what is accepted`, () => {
      expect(() => guardSettings({ a: value as never }, ["a"])).toThrow(/guards\.a.*(accepted)/s);
    });

  it("name the nearest guard for one that is not there, unless the map was checked elsewhere", () => {
    expect(() => guardSettings({ url_dedpu: false }, ["url_dedup"])).toThrow(/did you mean "url_dedup"/);
    expect(
      guardSettings(checkedOverrides({ elsewhere: false as const }), ["a"]).of("elsewhere").enabled,
    ).toBe(true);
  });

  it("say that a check of the framework's own cannot be changed", () => {
    expect(guardSettings({ auth_reject: false }).notices[0]).toMatch(/auth_reject does nothing/);
  });

  it("of a nested pool may widen and not narrow or switch off what is in force around it", () => {
    const settings = guardSettings({ wide: { scope: "cohort" } }, ["wide", "plain"]);
    const outer = { settings, guards: ["wide", "plain"] };
    expect(guardSettings({ wide: { scope: "lineage" } }, ["wide"], outer).of("wide")).toEqual({
      enabled: true,
      scope: "cohort",
    });
    expect(() => guardSettings({ plain: false }, ["plain"], outer)).toThrow(/may not switch off/);
  });
});

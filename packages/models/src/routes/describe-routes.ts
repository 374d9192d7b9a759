import { knownRoutes, type Route, type Routes } from "./routes.ts";

/**
 * Which model each route gets, as `pool models` shows it: those a run asks for, and whatever else is named.
 *
 * ```ts
 * for (const { asked, route, targets } of describeRoutes(models)) {
 *   console.log(asked, targets.map(({ model }) => model).join(", then "), route ?? "(default)");
 * }
 * ```
 */
export const describeRoutes = (
  routes: Pick<Routes, "routeFor">,
  more: readonly string[] = [],
): readonly Route[] => [...new Set([...knownRoutes, ...more])].map((asked) => routes.routeFor(asked));

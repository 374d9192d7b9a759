/**
 * A module hook: TypeScript is an ES module, also in a folder whose package.json does not say so. Otherwise a program
 * would get copies of its libraries that are not those of the harness.
 */
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const isTypeScript = /\.tsx?(\?|$)/.test(resolved.url) && !resolved.url.includes("/node_modules/");
  return isTypeScript && resolved.format === "commonjs" ? { ...resolved, format: "module" } : resolved;
}

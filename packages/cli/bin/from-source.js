// Makes this process load the workspace's packages as TypeScript source.
import { register } from "node:module";
import { register as registerTypeScript } from "tsx/esm/api";

registerTypeScript();
register("./source-condition.js", import.meta.url);

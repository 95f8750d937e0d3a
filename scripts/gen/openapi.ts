/**
 * Writes the OpenAPI document that the routes make to `tests/openapi.json`, so that a change of the surface shows in a
 * diff: `deno run -A scripts/gen/openapi.ts [--check]`.
 */
import { describeApi } from "../../src/http/openapi.ts";
import { ENDPOINTS, GROUPS } from "../../src/http/endpoints.ts";

const OUT = new URL("../../tests/openapi.json", import.meta.url);
const text = JSON.stringify(describeApi(ENDPOINTS, GROUPS), null, 2) + "\n";
if (Deno.args.includes("--check")) {
  const committed = await Deno.readTextFile(OUT).catch(() => "");
  if (committed !== text) {
    console.error("tests/openapi.json is not what the routes make: run deno run -A scripts/gen/openapi.ts");
    Deno.exit(1);
  }
} else {
  await Deno.writeTextFile(OUT, text);
}

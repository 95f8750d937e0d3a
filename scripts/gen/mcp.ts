/**
 * Writes the tools of MCP, as clients see them, to `tests/mcp_tools.json`, so that a change of a description shows in a diff:
 * models read them. `deno run -A scripts/gen/mcp.ts [--check]`.
 */
import { ALL_TOOLS } from "../../src/mcp/tools/mod.ts";

const OUT = new URL("../../tests/mcp_tools.json", import.meta.url);
const text = JSON.stringify(ALL_TOOLS.map(({ described }) => described), null, 2) + "\n";
if (Deno.args.includes("--check")) {
  const committed = await Deno.readTextFile(OUT).catch(() => "");
  if (committed !== text) {
    console.error("tests/mcp_tools.json is not what the tools are: run deno run -A scripts/gen/mcp.ts");
    Deno.exit(1);
  }
} else {
  await Deno.writeTextFile(OUT, text);
}

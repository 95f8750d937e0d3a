/** Writes the tables of `docs/reference/configuration.md` from the configuration's schema: `deno run -A scripts/gen/configuration.ts [--check]`. */
import { CLIENT_VARIABLES, Environment } from "../../src/environment.ts";

const FILE = new URL("../../docs/reference/configuration.md", import.meta.url);
const BEGIN = "<!-- tables: made by scripts/gen/configuration.ts -->";
const END = "<!-- end of tables -->";

/** One table for each section; a variable belongs to the section that was named last. */
function tables(): string {
  const lines: string[] = [];
  for (const [name, schema] of Object.entries(Environment.shape)) {
    const section = schema.meta()?.["section"];
    if (section !== undefined) lines.push("", `## ${section}`, "", "| Variable | Meaning | Default |", "|---|---|---|");
    const fallback = schema.safeParse(undefined).data;
    lines.push(
      `| \`${name}\` | ${schema.description} | ${
        fallback === undefined || `${fallback}` === "" ? "–" : `\`${fallback}\``
      } |`,
    );
  }
  lines.push("", "## Clients", "", "The service and the operator's commands ignore these.", "");
  lines.push("| Variable | Meaning |", "|---|---|");
  for (const [name, meaning] of Object.entries(CLIENT_VARIABLES)) lines.push(`| \`${name}\` | ${meaning} |`);
  return lines.slice(1).join("\n");
}

const text = await Deno.readTextFile(FILE);
const [before, rest] = text.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error("Cannot find the place of the tables in docs/reference/configuration.md");
const made = `${before}${BEGIN}\n\n${tables()}\n\n${END}${after}`;
if (!Deno.args.includes("--check")) {
  await Deno.writeTextFile(FILE, made);
} else if (made !== text) {
  console.error("docs/reference/configuration.md is out of date: run deno run -A scripts/gen/configuration.ts");
  Deno.exit(1);
}

/** Writes the README's table of variables from the configuration's schema: `deno run -A scripts/gen/readme.ts [--check]`. */
import { Environment } from "../../src/config.ts";

const README = new URL("../../README.md", import.meta.url);
const BEGIN = "<!-- configuration: made by scripts/gen/readme.ts -->";
const END = "<!-- end of configuration -->";

function table(): string {
  const rows = Object.entries(Environment.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data;
    return `| \`${name}\` | ${schema.description} | ${fallback === undefined ? "–" : `\`${fallback}\``} |`;
  });
  return ["| Variable | Meaning | Default |", "|---|---|---|", ...rows].join("\n");
}

const text = await Deno.readTextFile(README);
const [before, rest] = text.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) throw new Error("Cannot find the place of the table in README.md");
const made = `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
if (!Deno.args.includes("--check")) {
  await Deno.writeTextFile(README, made);
} else if (made !== text) {
  console.error("README.md's table of variables is out of date: run deno run -A scripts/gen/readme.ts");
  Deno.exit(1);
}

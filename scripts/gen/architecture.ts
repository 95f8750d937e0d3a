/**
 * Writes the floors of the rooms into docs/explanation/architecture.md, from the list that the layer check enforces:
 * `deno run -A scripts/gen/architecture.ts [--check]`.
 */
import { HOUSES } from "../gate/rooms.ts";

const FILE = new URL("../../docs/explanation/architecture.md", import.meta.url);

function tableOf(house: string): string {
  const lines = ["| Floor | Folder | What it holds |", "| --- | --- | --- |"];
  HOUSES[house]!.forEach((rooms, floor) => {
    for (const [room, what] of Object.entries(rooms)) lines.push(`| ${floor} | \`${house}/${room}/\` | ${what} |`);
  });
  return lines.join("\n");
}

/** Lays a Markdown text out as the other pages are. */
async function format(text: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "--ext", "md", "-"],
    cwd: new URL("../..", import.meta.url),
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

const text = await Deno.readTextFile(FILE);
let made = text;
for (const house of Object.keys(HOUSES)) {
  const [begin, end] = [`<!-- floors of ${house}: made by scripts/gen/architecture.ts -->`, `<!-- end of ${house} -->`];
  const [before, rest = ""] = made.split(begin);
  const after = rest.split(end)[1];
  if (after === undefined) throw new Error(`docs/explanation/architecture.md has no place for the floors of ${house}`);
  made = `${before}${begin}\n\n${tableOf(house)}\n\n${end}${after}`;
}
made = await format(made);
if (!Deno.args.includes("--check")) {
  await Deno.writeTextFile(FILE, made);
} else if (made !== text) {
  console.error("docs/explanation/architecture.md is out of date: run deno run -A scripts/gen/architecture.ts");
  Deno.exit(1);
}

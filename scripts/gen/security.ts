/**
 * Writes the table of docs/reference/guarantees.md: each threat and fault, and the tests that hold its defence, found by the numbers in
 * their titles. `--check` only compares. A row that no test names is shown as missing.
 */
import { join } from "node:path";
import { ROWS } from "../gate/security_rows.ts";

const ROOT = join(import.meta.dirname!, "../..");
const FILE = join(ROOT, "docs/reference/guarantees.md");
const BEGIN = "<!-- The table is made by scripts/gen/security.ts from the titles of the tests. -->";
const END = "<!-- End of the table. -->";

interface TestTitle {
  readonly file: string;
  readonly title: string;
}

/** A string at the beginning of which stand numbers of rows, and which ends as an argument, a member or an array does. */
const TITLE = /(["'`])((?:[TF]\d{1,2}[: ]+)+[^\n]*?)\1(?=\s*[,;\n)])/g;

async function findTitles(): Promise<TestTitle[]> {
  const titles: TestTitle[] = [];
  for (const root of ["src", "scripts", "tests"]) {
    for await (const file of walk(root)) {
      if (!file.endsWith("_test.ts")) continue;
      const text = await Deno.readTextFile(join(ROOT, file));
      for (const [, , title] of text.matchAll(TITLE)) titles.push({ file, title });
    }
  }
  return titles.sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : 0);
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(join(ROOT, folder))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* walk(path);
    else yield path;
  }
}

function numbersOf(title: string): string[] {
  return /^(?:[TF]\d{1,2}[: ]+)+/.exec(title)![0].match(/[TF]\d+/g)!;
}

function toCell(title: string): string {
  const plain = title.replace(/^(?:[TF]\d{1,2}[: ]+)+/, "").replaceAll(/\$\{[^}]*\}+/g, "…").replaceAll("|", "\\|");
  return plain.replaceAll("<", "&lt;");
}

function makeTable(titles: readonly TestTitle[]): string {
  const lines = ["| # | What | Held by |", "|---|---|---|"];
  for (const [number, what] of Object.entries(ROWS)) {
    const held = titles.filter(({ title }) => numbersOf(title).includes(number));
    const cells = held.map(({ file, title }) => `\`${file}\`: ${toCell(title)}`);
    lines.push(`| ${number} | ${what} | ${cells.length > 0 ? cells.join("<br>") : "**no test yet**"} |`);
  }
  return lines.join("\n");
}

const text = await Deno.readTextFile(FILE);
const [before, rest = ""] = text.split(BEGIN);
const after = rest.split(END)[1];
if (after === undefined) throw new Error("Cannot write the table: docs/reference/guarantees.md has no place for it");
const made = `${before}${BEGIN}\n\n${makeTable(await findTitles())}\n\n${END}${after}`;
if (!Deno.args.includes("--check")) await Deno.writeTextFile(FILE, made);
else if (made !== text) {
  console.error("docs/reference/guarantees.md is out of date: run `deno run -A scripts/gen/security.ts`");
  Deno.exit(1);
}
const missing = (made.match(/\*\*no test yet\*\*/g) ?? []).length;
console.log(`guarantees: ${Object.keys(ROWS).length} rows, ${missing} without a test`);

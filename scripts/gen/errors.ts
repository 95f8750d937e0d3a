/** Writes the table of `docs/reference/errors.md` from the table of codes: `deno run -A scripts/gen/errors.ts [--check]`. */
import { ERROR_HELP } from "../../src/error_help.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/errors.ts";

const FILE = new URL("../../docs/reference/errors.md", import.meta.url);
const BEGIN = "<!-- codes: made by scripts/gen/errors.ts -->\n\n";
const END = "\n\n<!-- end of codes -->";

const sections = (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => {
  const { status, connect } = ERROR_CODES[code];
  const retry = "retryable" in ERROR_CODES[code] ? "; the same request may succeed later" : "";
  const { means, remedy } = ERROR_HELP[code];
  return `## ${code}\n\nStatus ${status}, over RPC \`${connect}\`${retry}.\n\n${means}\n\n**What to do:** ${remedy}`;
});

const text = await Deno.readTextFile(FILE);
const [before] = text.split(BEGIN);
const after = text.split(END)[1];
if (after === undefined) throw new Error("Cannot find the place of the codes in docs/reference/errors.md");
const made = `${before}${BEGIN}${sections.join("\n\n")}${END}${after}`;
if (!Deno.args.includes("--check")) {
  await Deno.writeTextFile(FILE, made);
} else if (made !== text) {
  console.error("docs/reference/errors.md is out of date: run deno run -A scripts/gen/errors.ts");
  Deno.exit(1);
}

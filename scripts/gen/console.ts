/**
 * Bundles the pages of the console: `deno run -A scripts/gen/console.ts [--check]`.
 *
 * The script is committed in gzip as base64 text and the styles as text, which every way of running the service can
 * import. With `--check` nothing is written: it fails when a text is not up to date, or the pages are above their budget.
 */
import { gzipSync } from "node:zlib";

const SOURCE = new URL("../../src/console/", import.meta.url);
const OUT = new URL("../../src/gen/", import.meta.url);
/** The types of a browser, which the service does not have. */
const CONFIG = ["--config", new URL("deno.json", SOURCE).pathname];
/** What all files of the pages may have in gzip, in bytes. */
const BYTES_MAX = 150_000;

async function bundleScript(): Promise<Uint8Array> {
  const args = [
    "bundle",
    "--quiet",
    "--minify",
    "--platform",
    "browser",
    ...CONFIG,
    new URL("main.tsx", SOURCE).pathname,
  ];
  const cwd = new URL("../..", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd }).output();
  if (!success) throw new Error(`Cannot bundle the console: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}

const script = gzipSync(await bundleScript(), { level: 9 });
const styles = await Deno.readTextFile(new URL("styles.css", SOURCE));
const bytes = script.byteLength + gzipSync(styles).byteLength;
if (bytes > BYTES_MAX) throw new Error(`The console has ${bytes} bytes in gzip, more than ${BYTES_MAX}`);
const files = {
  "console.js.gz.b64.txt": script.toString("base64").replaceAll(/.{120}/g, "$&\n") + "\n",
  "console.css.txt": styles,
};
for (const [name, text] of Object.entries(files)) {
  const out = new URL(name, OUT);
  if (!Deno.args.includes("--check")) await Deno.writeTextFile(out, text);
  else if (await Deno.readTextFile(out) !== text) {
    throw new Error(`${out.pathname} is not up to date: run this without --check`);
  }
}
console.log(`console: ${bytes} bytes in gzip`);

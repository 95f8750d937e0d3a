/**
 * Vendors the script of the API reference: `deno run -A scripts/gen/docs_ui.ts [--check]`.
 *
 * The package's own dependency tree is large and is needed by its build only, so the finished browser bundle is taken
 * from the npm tarball, compressed, and committed as base64 text, which every way of running the service can import.
 */
import { gzipSync } from "node:zlib";

const PACKAGE = "@scalar/api-reference@1.72.1";
const OUT = new URL("../../src/gen/scalar_reference.js.gz.b64.txt", import.meta.url);

async function packScript(): Promise<string> {
  const dir = await Deno.makeTempDir();
  try {
    const pack = await new Deno.Command("npm", { args: ["pack", PACKAGE, "--silent"], cwd: dir }).output();
    if (!pack.success) throw new Error(`Cannot pack ${PACKAGE}: ${new TextDecoder().decode(pack.stderr)}`);
    const tarball = new TextDecoder().decode(pack.stdout).trim();
    const untar = await new Deno.Command("tar", { args: ["xzf", tarball], cwd: dir }).output();
    if (!untar.success) throw new Error(`Cannot unpack ${tarball}`);
    const script = await Deno.readFile(`${dir}/package/dist/browser/standalone.js`);
    return gzipSync(script, { level: 9 }).toString("base64").replaceAll(/.{120}/g, "$&\n") + "\n";
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const text = await packScript();
if (Deno.args.includes("--check")) {
  if (await Deno.readTextFile(OUT) !== text) throw new Error(`${OUT.pathname} is not what ${PACKAGE} makes`);
} else {
  await Deno.writeTextFile(OUT, text);
}

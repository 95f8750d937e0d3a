/**
 * Bundles the Argon2id worker thread into one text: `deno run -A scripts/gen/argon2id_worker.ts [--check]`.
 *
 * A worker's program must be reachable without the source tree, from a bundle and from the compiled binary. So it is
 * committed as text with its WebAssembly inside. With `--check` nothing is written: it fails when the text is not up to
 * date with the source and the locked dependency.
 */
const SOURCE = new URL("../../src/crypto/argon2id_worker.ts", import.meta.url);
const OUT = new URL("../../src/gen/argon2id_worker.js.txt", import.meta.url);

async function bundleWorker(): Promise<string> {
  const args = ["bundle", "--quiet", "--minify", "--platform", "browser", SOURCE.pathname];
  const cwd = new URL("../..", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd }).output();
  if (!success) throw new Error(`Cannot bundle ${SOURCE.pathname}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

const text = await bundleWorker();
if (Deno.args.includes("--check")) {
  if (await Deno.readTextFile(OUT) !== text) {
    throw new Error(`${OUT.pathname} is not up to date: run this without --check`);
  }
} else {
  await Deno.writeTextFile(OUT, text);
}

/** Makes `src/gen/hamming.wasm` of `scripts/gen/hamming.wat`; `--check` compares it instead. */
import wabt from "wabt";
import { readFileSync, writeFileSync } from "node:fs";

const SOURCE = new URL("./hamming.wat", import.meta.url),
  TARGET = new URL("../../src/gen/hamming.wasm", import.meta.url);

const { parseWat } = await wabt();
const made = parseWat("hamming.wat", readFileSync(SOURCE, "utf8"), { simd: true }).toBinary({}).buffer;
if (!Deno.args.includes("--check")) writeFileSync(TARGET, made);
else if (!readFileSync(TARGET).equals(made)) {
  console.error("src/gen/hamming.wasm is not what scripts/gen/hamming.wat makes: run scripts/gen/hamming.ts");
  Deno.exit(1);
}

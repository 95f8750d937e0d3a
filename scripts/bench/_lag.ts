/**
 * The service's own program, with a look at its event loop: writes how late it is to `BENCH_LAG_FILE`, a line
 * `<time> <ms>` for each look, both in milliseconds.
 */
import { openSync, writeSync } from "node:fs";

const EVERY_MS = 10;
const file = openSync(Deno.env.get("BENCH_LAG_FILE")!, "a");
let due = performance.now() + EVERY_MS;
let lines = "";

Deno.unrefTimer(setInterval(() => {
  const now = performance.now();
  lines += `${Date.now()} ${Math.max(0, now - due).toFixed(1)}\n`;
  due = now + EVERY_MS;
  if (lines.length < 500) return;
  writeSync(file, lines);
  lines = "";
}, EVERY_MS));

export { default } from "../../src/main.ts";

/**
 * The service's own program with a watch on its event loop: it writes the loop's delay to `BENCH_LAG_FILE`, one line
 * `<time> <ms>` for each check, both in milliseconds.
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

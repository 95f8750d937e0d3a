/**
 * The service's own program with a watch on its event loop: it writes the loop's delay to `BENCH_LAG_FILE`, one line
 * `<time> <ms> <CPU ms>` for each check, in milliseconds. The last number is the CPU time that the thread has used since
 * the check before: on a busy machine it tells the work of a halt from the wait for a processor. Linux only; else 0.
 */
import { openSync, readFileSync, writeSync } from "node:fs";

const EVERY_MS = 10;
const file = openSync(Deno.env.get("BENCH_LAG_FILE")!, "a");
let due = performance.now() + EVERY_MS;
let used = readUsedMs();
let lines = "";

function readUsedMs(): number {
  return Deno.build.os === "linux"
    ? Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6
    : 0;
}

Deno.unrefTimer(setInterval(() => {
  const now = performance.now();
  const total = readUsedMs();
  lines += `${Date.now()} ${Math.max(0, now - due).toFixed(1)} ${(total - used).toFixed(1)}\n`;
  used = total;
  due = now + EVERY_MS;
  if (lines.length < 500) return;
  writeSync(file, lines);
  lines = "";
}, EVERY_MS));

await (await import("../../src/cli/run.ts")).run(Deno.args);

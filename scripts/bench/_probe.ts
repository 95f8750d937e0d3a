/** A thread that asks a service for `/healthz` again and again, and tells how long each answer took. */
import { parentPort, workerData } from "node:worker_threads";

const EVERY_MS = 20;
const DEADLINE_MS = 60_000;

/** When it was asked, and how long the answer took, in milliseconds. */
export interface Probe {
  readonly at: number;
  readonly ms: number;
}

async function ask(url: string): Promise<Probe> {
  const at = Date.now();
  const begun = performance.now();
  try {
    await (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(DEADLINE_MS) })).text();
  } catch {
    // No answer within the deadline counts as one at its end.
  }
  return { at, ms: performance.now() - begun };
}

for (;;) {
  parentPort!.postMessage(await ask(workerData));
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}

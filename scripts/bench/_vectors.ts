/** Waits for the vectors that the service makes after a write. */
import type postgres from "postgres";
import { Progress, round } from "./_bench.ts";

const LOOK_MS = 100;

/** Waits until no text is queued for its vector. @returns how many seconds that took */
export async function waitForVectors(sql: postgres.Sql): Promise<number> {
  const started = performance.now();
  const count = async () => (await sql<[{ n: number }]>`select count(*)::int as n from embedding_pending`)[0].n;
  let left = await count();
  const progress = new Progress("Vectors", left);
  while (left > 0) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await count();
    progress.add(left - now);
    left = now;
  }
  progress.end();
  return round((performance.now() - started) / 1_000, 1);
}

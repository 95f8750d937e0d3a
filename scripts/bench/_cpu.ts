/** The CPU time of the database server, from `/proc`. */
import type postgres from "postgres";

const TICKS_PER_SECOND = 100;

/** The CPU milliseconds that the database server's processes have used. */
export async function databaseCpu(sql: postgres.Sql): Promise<() => number> {
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const parent = statOf(String(pid))!.parent;
  return () => {
    let ticks = statOf(parent)!.ofChildren;
    for (const { name } of Deno.readDirSync("/proc")) {
      const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
      if (stat !== undefined && (stat.parent === parent || name === parent)) ticks += stat.own;
    }
    return ticks * 1_000 / TICKS_PER_SECOND;
  };
}

/**
 * The parent of a process, its CPU ticks and those of its children that have ended; undefined when the process has
 * ended.
 */
function statOf(pid: string): { parent: string; own: number; ofChildren: number } | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: fields[1]!, own: ticks(11), ofChildren: ticks(13) };
  } catch {
    return undefined;
  }
}

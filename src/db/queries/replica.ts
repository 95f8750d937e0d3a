/** The bound that a streaming replica must have reached before a read may use it. */
import type { Sql } from "../tx.ts";

/** How far the primary had written at a moment, and who may read it. */
export interface ReplicaBound {
  /** The place in the write-ahead log up to which the replica must have replayed. */
  readonly needed: string;
  /** The history of the primary, and a number that grows in it: a server that follows another one does not show them. */
  readonly epoch: string;
  readonly beat: string;
  /** The role and the database. */
  readonly reader: string;
}

/**
 * Reads, on the primary, what a replica must have replayed to show everything acknowledged so far.
 */
export async function boundReplica(sql: Sql): Promise<ReplicaBound> {
  const [row] = await sql<[ReplicaBound]>`
    select needed::text, epoch, beat::text, reader from svc_system.bound_replica()`;
  return row;
}

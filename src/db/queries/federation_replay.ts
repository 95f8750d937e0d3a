/**
 * The record of used tokens for deployments without Redis. It belongs to no workspace, so a function of its own writes
 * it.
 */
import type { Sql } from "../tx.ts";

/**
 * Claims the hash of a token's issuer and id for some seconds. Exactly one of all callers with the same hash gets true.
 * @param hash 32 bytes
 * @param seconds for how long the claim is kept
 */
export async function claimJti(sql: Sql, hash: Uint8Array, seconds: number): Promise<boolean> {
  const [row] = await sql<[{ claimed: boolean }]>`
    select svc_system.claim_federation_jti(${hash}, ${seconds}) as claimed`;
  return row.claimed;
}

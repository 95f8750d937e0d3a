/** Which tokens were used, where no Redis keeps it. Of no workspace, so it goes through a function of its own. */
import type { Sql } from "../tx.ts";

/**
 * Claims the hash of a token's issuer and id for so many seconds: true for exactly one of any number of callers.
 * @param hash 32 bytes
 */
export async function claimJti(sql: Sql, hash: Uint8Array, seconds: number): Promise<boolean> {
  const [row] = await sql<[{ claimed: boolean }]>`
    select svc_system.claim_federation_jti(${hash}, ${seconds}) as claimed`;
  return row.claimed;
}

/** What stands behind tokens: a token is worth no more than this is worth now. */
import type { Deps, VerifiedKey } from "../../../context.ts";
import { findApiKey, touchApiKey } from "../../../db/queries/api_keys.ts";
import { findBrokerOf } from "../../../db/queries/brokers.ts";
import { leastSensitive } from "../../unit/trust.ts";
import { systemTx } from "../admin/authenticate.ts";
import { isExpired } from "../credentials.ts";

/** What a giver may do now in a workspace. */
export interface GiverStanding extends VerifiedKey {
  /** What `KEY_CHANNEL` tells of when the giver changes. */
  readonly credential: string;
}

/** Finds what a giver may do; undefined when it has ended or may nothing in the workspace. */
type Giver = (deps: Deps, id: string, workspaceId: string) => Promise<GiverStanding | undefined>;

/** By the kind of a token's `grant`. */
export const GIVERS: Readonly<Record<string, Giver>> = {
  /** A key of the workspace, by its public id; also the key of a grant, which is bounded by the key of who gave it. */
  async key({ db, clock }, publicId, workspaceId) {
    const row = await db.first((sql) => findApiKey(sql, publicId), { readOnly: true });
    if (row?.workspaceId !== workspaceId || row.revokedAt !== null || isExpired(row, clock())) return undefined;
    await db.system((sql) => touchApiKey(sql, publicId), { at: workspaceId });
    return {
      actor: `key:${row.keyId}`,
      credential: publicId,
      workspaceId,
      scopes: new Set(row.scopes),
      maxSensitivity: row.maxSensitivity,
      region: row.region,
      expiresAt: row.expiresAt,
      cidrs: row.cidrs,
      rateLimit: row.rateLimit,
      isSuspended: row.isSuspended,
    };
  },
  /** The key behind the tokens of a tenant, by its public id, within what its broker may give. */
  async tenant(deps, publicId, workspaceId) {
    const [standing, broker] = await Promise.all([
      GIVERS["key"]!(deps, publicId, workspaceId),
      systemTx(deps, (tx) => findBrokerOf(tx, workspaceId), { readOnly: true }),
    ]);
    if (standing === undefined || broker === undefined || broker.revokedAt !== null) return undefined;
    if (isExpired(broker, deps.clock())) return undefined;
    return {
      ...standing,
      // The key behind a tenant's tokens never expires; the broker's key may.
      expiresAt: broker.expiresAt,
      scopes: standing.scopes.intersection(new Set(broker.scopes)),
      maxSensitivity: leastSensitive(standing.maxSensitivity, broker.maxSensitivity),
    };
  },
};

/**
 * What stands behind a token, as it was within the last minute; a change of it is heard at once in all processes. However many
 * tokens it gave, it is looked up once.
 */
export async function standingOf(deps: Deps, grant: string, workspaceId: string): Promise<GiverStanding | undefined> {
  const [kind, id] = partsOf(grant);
  const giver = Object.hasOwn(GIVERS, kind) ? GIVERS[kind] : undefined;
  if (giver === undefined) return undefined;
  const name = `standing ${grant} ${workspaceId}`;
  const known = deps.verifiedKeys.get(name) ??
    await deps.verifiedKeys.resolve(name, id, () => giver(deps, id, workspaceId));
  return known as GiverStanding | undefined;
}

/** The kind of what stands behind a token, and its id. */
export function partsOf(grant: string): readonly [kind: string, id: string] {
  const at = grant.indexOf(":");
  return [grant.slice(0, at), grant.slice(at + 1)];
}

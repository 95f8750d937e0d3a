/** Who acts by tokens of an issuer, each with the key by which it acts in the transaction's workspace. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { Tx } from "../tx.ts";

/** On whose behalf an issuer issued a token, and to which client; empty: it names none. */
export interface TokenIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly client: string;
}

/** What the configuration granted. */
export interface GrantedRights {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
}

export interface TokenIdentityRow {
  readonly keyId: string;
  readonly publicId: string;
  readonly granted: GrantedRights;
  readonly revokedAt: Date | null;
  readonly expiresAt: Date | null;
}

export async function findTokenIdentity(tx: Tx, identity: TokenIdentity): Promise<TokenIdentityRow | undefined> {
  const [row] = await tx.sql<TokenIdentityRow[]>`
    select i.key_id as "keyId", k.public_id as "publicId", i.granted, k.revoked_at as "revokedAt",
           k.expires_at as "expiresAt"
      from token_identity i join api_key k on k.workspace_id = i.workspace_id and k.key_id = i.key_id
     where i.workspace_id = ${tx.workspaceId} and i.issuer = ${identity.issuer} and i.subject = ${identity.subject}
       and i.client = ${identity.client}`;
  return row;
}

/** Whether a key stands for tokens, so that nobody has a secret of it. */
export async function standsForTokens(tx: Tx, keyId: string): Promise<boolean> {
  const [row] = await tx.sql<[{ stands: boolean }]>`
    select exists (select from token_identity where workspace_id = ${tx.workspaceId} and key_id = ${keyId})
        or exists (select from oauth_grant where workspace_id = ${tx.workspaceId} and key_id = ${keyId}) as stands`;
  return row.stands;
}

/** Notes the key of an identity, or what it was granted last. */
export async function putTokenIdentity(
  tx: Tx,
  { issuer, subject, client }: TokenIdentity,
  { keyId, granted }: Pick<TokenIdentityRow, "keyId" | "granted">,
): Promise<void> {
  await tx.sql`
    insert into token_identity (workspace_id, issuer, subject, client, key_id, granted)
    values (${tx.workspaceId}, ${issuer}, ${subject}, ${client}, ${keyId}, ${tx.sql.json(granted)})
    on conflict (workspace_id, issuer, subject, client) do update set granted = excluded.granted`;
}

/** Lets the key of an identity count longer; that is no change of its rights. */
export async function extendIdentityKey(tx: Tx, keyId: string, expiresAt: Date): Promise<void> {
  await tx.sql`
    update api_key set expires_at = ${expiresAt} where workspace_id = ${tx.workspaceId} and key_id = ${keyId}`;
}

/** Describes a caller: the key or grant, the workspace, the caller's rights, and what the service offers. */
import packageInfo from "../../../deno.json" with { type: "json" };
import type { Deps, OperationContext, VerifiedKey } from "../../context.ts";
import * as apiKeys from "../../db/queries/api_keys.ts";
import * as breakGlass from "../../db/queries/break_glass.ts";
import { isInvitedKey } from "../../db/queries/federation_invites.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import { ServiceError } from "../../errors.ts";
import { SCOPES } from "../../schema/scopes.ts";
import type { Features, Whoami } from "../../schema/whoami.ts";
import { systemTx } from "./admin/authenticate.ts";
import { refusedCredentials } from "./credentials.ts";

/**
 * Describes the caller. The scopes and the clearance are those that this request was admitted with.
 * @throws ServiceError `unauthenticated` when the key or the grant has ended meanwhile
 */
export async function whoami(ctx: OperationContext): Promise<Whoami> {
  const { deps, key, actor, workspaceId, maxSensitivity } = ctx;
  if (key === undefined) throw new ServiceError("internal", "Cannot say who asks: no key was presented");
  const breakGlass = key.grantId === undefined ? null : await describeGrant(deps, key.grantId);
  const found = await ctx.tx(async (tx) => ({
    key: breakGlass === null ? await apiKeys.findListedKey(tx, actor.slice("key:".length)) : undefined,
    // Such a key opens nothing without a peer's token.
    isInvited: breakGlass === null && await isInvitedKey(tx, actor.slice("key:".length)),
    workspace: await findWorkspace(tx),
  }), { readOnly: true });
  const { workspace, isInvited } = found;
  if (workspace === undefined || isInvited || (breakGlass === null && found.key === undefined)) {
    throw refusedCredentials();
  }
  return {
    actor,
    key: found.key === undefined ? null : {
      id: found.key.keyId,
      publicId: ctx.credential ?? found.key.publicId,
      name: found.key.name,
    },
    breakGlass,
    workspace: { id: workspaceId, name: workspace.name, region: workspace.region as Whoami["workspace"]["region"] },
    scopes: SCOPES.filter((scope) => ctx.scopes.has(scope)),
    maxSensitivity,
    rateLimit: rateLimitOf(deps, key),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    server: { version: packageInfo.version, region: deps.config.region ?? null },
    features: featuresOf(deps),
  };
}

async function describeGrant(deps: Deps, id: string): Promise<NonNullable<Whoami["breakGlass"]>> {
  const row = await systemTx(deps, (tx) => breakGlass.findRequest(tx, id), { readOnly: true });
  if (row === undefined) throw refusedCredentials();
  return { id, admin: { id: row.requestedBy, name: row.requestedByName } };
}

function rateLimitOf({ config }: Deps, { rateLimit }: VerifiedKey): Whoami["rateLimit"] {
  const { perMinute, burst } = rateLimit ?? config.rateLimit;
  return perMinute === 0 ? null : { perMinute, burst };
}

function featuresOf({ config, generator, signingKey, secretsKeys }: Deps): Features {
  return {
    embeddings: config.embeddings.url !== undefined || config.embeddings.sentenceEncoder !== "off",
    llm: generator !== undefined,
    mcp: true,
    federation: signingKey !== undefined,
    webhooks: secretsKeys.length > 0,
  };
}

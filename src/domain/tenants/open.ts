/** Finds or creates the workspace of an app's user, and gives what opens it. */
import type { Broker, OperationContext } from "../../context.ts";
import { generateApiKey } from "../../crypto/api_key.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import { insertApiKey } from "../../db/queries/api_keys.ts";
import * as queries from "../../db/queries/tenants.ts";
import { createTenantWorkspace } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import { type Scope, SCOPES } from "../../schema/scopes.ts";
import type { OpenedTenant, OpenTenantBody } from "../../schema/tenant.ts";
import { issueApiKey, recordAdminToken } from "../access/admin/api_keys.ts";
import { refuseSuspended } from "../access/credentials.ts";
import { issueToken } from "../access/tokens/issue.ts";
import { auditTrailOf, subjectOf } from "../audit/trail.ts";
import { chainsOf, inWorkspace } from "../common/system.ts";
import { atBroker, lockTenant, requireBroker, toTenant, withLockedTenant } from "./place.ts";

const TOKEN_SECONDS = 3_600;
/** The service as its own tokens name it where no public address is configured. */
const LOCAL_URL = "http://localhost";

/** The key behind the tokens of a tenant, which has the id of the tenant. It does whatever the broker may give, and the token says less. */
const BEHIND_TOKENS = {
  name: "tokens of the broker",
  scopes: SCOPES.filter((scope) => scope !== "memory:admin:cross_tenant" && scope !== "federation"),
  maxSensitivity: "restricted",
  expiresAt: null,
  cidrs: [],
  rateLimit: null,
} as const;

/** A hash that no secret has: nobody can present the key itself. */
export function hashOfNothing(): string {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ omitPadding: true });
  return `$argon2id$v=19$m=19456,t=2,p=1$${random(16)}$${random(32)}`;
}

/**
 * Finds or creates the tenant of an external id. Callers at the same time get the same one. A call that broke off leaves a
 * tenant without a workspace; the next call makes it.
 * @throws ServiceError `insufficient_scope` for more than the broker may give; `workspace_suspended`; `conflict` while it is
 *   being erased; `unavailable` for a token without SVC_SECRETS_KEY; `not_found` and `validation_failed` like `requireBroker`
 */
export async function openTenant(ctx: OperationContext, body: OpenTenantBody): Promise<OpenedTenant> {
  const broker = await requireBroker(ctx, body.brokerId);
  const rights = readRights(broker, body);
  const { row, created } = await findOrCreate(ctx, broker, body.externalId);
  if (row.state === "erasing" || row.state === "erased") {
    throw new ServiceError("conflict", "Cannot open the tenant: it is being erased");
  }
  const opened = { tenant: toTenant(broker, row), created, token: null, key: null };
  if (body.credential === "none") return opened;
  refuseSuspended({ isSuspended: row.state === "suspended" });
  if (body.credential === "token") {
    return { ...opened, token: await giveToken(ctx, broker, row, rights, body.ttlSeconds) };
  }
  const key = { ...rights, name: broker.name, cidrs: [], rateLimit: null, expiresAt: null };
  return { ...opened, key: await issueApiKey(inWorkspace(ctx, row.tenantId), key) };
}

interface Rights {
  readonly scopes: Scope[];
  readonly maxSensitivity: Sensitivity;
}

/** Signs a token, which the audit log of the workspace notes. It names the broker and the tenant, never the user. */
async function giveToken(
  ctx: OperationContext,
  broker: Broker,
  { tenantId, publicId }: queries.TenantRow,
  rights: Rights,
  seconds = TOKEN_SECONDS,
): Promise<NonNullable<OpenedTenant["token"]>> {
  const { deps } = ctx;
  // Whatever the client calls the service: a token that names no part of it is for the whole.
  const issuer = deps.config.publicUrl ?? LOCAL_URL;
  const { token, id, expiresAt } = await issueToken(deps, {
    ...{ issuer, audience: issuer, subject: `tenant:${tenantId}`, clientId: `broker:${broker.id}`, name: broker.name },
    ...{ grant: `tenant:${publicId}`, workspaceId: tenantId, region: broker.region, seconds, ...rights },
  });
  // An admin who gives out a token can enter by it.
  const { name } = broker,
    entry = { keyId: tenantId, publicId, name, ...rights, expiresAt, cidrs: [], rateLimit: null };
  await recordAdminToken(inWorkspace(ctx, tenantId), entry);
  const detail = { tokenId: id, expiresAt: expiresAt.toISOString(), ...rights };
  auditTrailOf(deps).note(tenantId, subjectOf(ctx), { eventType: "tenant.token_issued", targets: [tenantId], detail });
  return { token, expiresAt: expiresAt.toISOString(), ...rights };
}

/** What the credential may do. @throws ServiceError `insufficient_scope` */
function readRights(
  broker: Broker,
  { scopes = [...broker.scopes], maxSensitivity = broker.maxSensitivity }: OpenTenantBody,
): Rights {
  const beyond = scopes.find((scope) => !broker.scopes.has(scope));
  if (beyond !== undefined) {
    throw new ServiceError("insufficient_scope", `Cannot give the scope ${beyond}: the broker's key lacks it`);
  }
  if (!isCleared(maxSensitivity, broker.maxSensitivity)) {
    const most = broker.maxSensitivity;
    throw new ServiceError("insufficient_scope", `Cannot give the clearance ${maxSensitivity}: the broker has ${most}`);
  }
  return { scopes, maxSensitivity };
}

async function findOrCreate(
  ctx: OperationContext,
  broker: Broker,
  externalId: string,
): Promise<{ readonly row: queries.TenantRow; readonly created: boolean }> {
  const find = () => atBroker(ctx, broker.id, (tx) => queries.findTenantOf(tx, externalId), { readOnly: true });
  const known = await find();
  if (known !== undefined && known.state !== "creating") return { row: known, created: false };
  const tenantId = uuidv7(ctx.deps.clock());
  const { publicId } = generateApiKey("svc_live_");
  // Another caller may have been faster; then its row is there now.
  const made = known === undefined
    ? await atBroker(ctx, broker.id, (tx) => queries.insertTenant(tx, { tenantId, externalId, publicId }))
    : undefined;
  const row = made ?? known ?? await find();
  if (row === undefined) throw new ServiceError("conflict", "Cannot open the tenant: it was erased in this moment");
  if (row.state !== "creating") return { row, created: false };
  const { tenantId: id } = row;
  await ctx.deps.db.place(id, ctx.deps.config.database.newWorkspacesCluster);
  // Under the lock, so that no workspace is made of a tenant that is erased meanwhile.
  await withLockedTenant(ctx, broker.id, id, async ({ row, inside }) => {
    if (row.state === "creating") await inside((tx) => createWorkspace(tx, broker, row, externalId));
  });
  const ready = await atBroker(ctx, broker.id, async (tx) => {
    const now = await lockTenant(tx, id);
    return now.state === "creating" ? await queries.setTenantState(tx, id, "active") : now;
  });
  return { row: ready, created: made !== undefined };
}

/** Makes the workspace, unless a call that broke off did. */
async function createWorkspace(
  tx: Tx,
  { region }: Broker,
  { tenantId, publicId }: queries.TenantRow,
  name: string,
): Promise<void> {
  if (!await createTenantWorkspace(tx.sql, { workspaceId: tenantId, name, region })) return;
  await insertApiKey(tx, { keyId: tenantId, publicId, secretHash: hashOfNothing(), ...BEHIND_TOKENS });
  // Without the name: it names a person, and the chain outlasts the tenant's erasure.
  tx.audit({ eventType: "tenant.created", targets: [tenantId], detail: { region }, chains: chainsOf(tenantId) });
}

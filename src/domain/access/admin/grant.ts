/** Break-glass grants in use: an admin's key inside a workspace, within the grant's rights. docs/reference/guarantees.md T22. */
import { parseApiKey } from "../../../crypto/api_key.ts";
import { isUuid } from "../../../crypto/ids.ts";
import {
  createContext,
  type Deps,
  type OperationRequest,
  type VerifiedAdmin,
  type VerifiedKey,
} from "../../../context.ts";
import { enterWorkspace } from "../../../db/enter_workspace.ts";
import * as queries from "../../../db/queries/break_glass.ts";
import { findWorkspace } from "../../../db/queries/workspaces.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { readBearer, refuseAddress } from "../credentials.ts";
import { chainsOf } from "../../common/system.ts";
import { authenticateAdmin, systemTx } from "./authenticate.ts";
import { auditTrailOf } from "../../audit/trail.ts";

/** Names the grant. It counts only with an admin's key: a workspace's key has its own rights, whatever it sends. */
export const GRANT_HEADER = "x-svc-break-glass";

type GrantRequest = OperationRequest & { readonly headers: Headers };

/** An approved grant that a request names. */
export interface Grant {
  /** The admin, with what the grant allows. */
  readonly key: VerifiedKey;
  /**
   * Records the use in both audit chains, before anything is shown or done.
   * @throws ServiceError `break_glass_required` when the grant has ended meanwhile; `unavailable` when recording fails.
   */
  use(): Promise<void>;
}

/**
 * Opens the grant that a request names with an admin's session of the console; undefined if it names none.
 * @throws ServiceError `ip_not_allowed`; `break_glass_required` like `openGrant`
 */
export async function openGrantOf(
  deps: Deps,
  admin: VerifiedAdmin,
  request: GrantRequest,
): Promise<Grant | undefined> {
  const id = request.headers.get(GRANT_HEADER);
  return id === null ? undefined : await loadAllowed(deps, admin, id, request);
}

/**
 * Opens the grant that a request names with an admin's key; undefined if it has no admin's key or names no grant.
 * @throws ServiceError `unauthenticated`, `ip_not_allowed`; `break_glass_required` when the grant is not the admin's
 * own, not approved, or no longer approved.
 */
export async function openGrant(deps: Deps, request: GrantRequest): Promise<Grant | undefined> {
  const id = request.headers.get(GRANT_HEADER);
  if (id === null || parseApiKey(readBearer(request.headers))?.prefix !== "mk_admin_") return undefined;
  return await loadAllowed(deps, await authenticateAdmin(deps, request.headers, request.address), id, request);
}

async function loadAllowed(deps: Deps, admin: VerifiedAdmin, id: string, request: GrantRequest): Promise<Grant> {
  try {
    refuseAddress(admin, request.address);
    return await loadGrant(deps, admin, id, request);
  } catch (error) {
    if (error instanceof ServiceError) auditTrailOf(deps).noteRefusal(createContext(deps, admin, request), error.code);
    throw error;
  }
}

async function loadGrant(deps: Deps, admin: VerifiedAdmin, id: string, request: GrantRequest): Promise<Grant> {
  const row = isUuid(id) ? await systemTx(deps, (tx) => queries.findRequest(tx, id), { readOnly: true }) : undefined;
  if (row === undefined || row.requestedBy !== admin.adminId || row.state !== "approved") throw required();
  const { targetWorkspaceId: workspaceId, maxSensitivity, expiresAt, reason } = row;
  const ctx = createContext(deps, admin, request);
  const find = (tx: Tx) => enterWorkspace(tx, workspaceId, (inner) => findWorkspace(inner));
  const workspace = await systemTx(deps, find, { readOnly: true, at: workspaceId });
  if (workspace === undefined) throw required();
  return {
    key: {
      ...{ ...admin, workspaceId, scopes: new Set(row.scopes), maxSensitivity, region: workspace.region, expiresAt },
      grantId: id,
      isSuspended: workspace.suspendedAt !== null,
    },
    use: () =>
      ctx.tx(async (tx) => {
        if (!await queries.useRequest(tx, id)) throw required();
        const detail = { operation: request.operationId, reason };
        tx.audit({ eventType: "break_glass.used", targets: [id], detail, chains: chainsOf(workspaceId) });
      }),
  };
}

function required(): ServiceError {
  return new ServiceError(
    "break_glass_required",
    `Cannot enter the workspace: ${GRANT_HEADER} names no approved grant of this admin`,
  );
}

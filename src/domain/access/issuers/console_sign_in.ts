/** The session of the console that a person gets who signed in by an issuer: as a named admin, or in one workspace. */
import { createContext, type Deps, type OperationRequest } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import { openSignedInAdmin } from "../admin/console_sessions.ts";
import { type ConsoleSession, openConsoleSession, type SessionCredentials } from "../console_sessions.ts";
import { refuseAddress, refuseRegion } from "../credentials.ts";
import { openIdentityKey } from "../identity_keys.ts";
import { mapAdmin, mapRights, nameKey } from "./claims.ts";
import { completeSignIn } from "./sign_in.ts";

/**
 * Completes a sign-in and opens a session with the rights that the rules of the issuer give to the person: those of a named
 * admin, or those of a key of its own in a workspace.
 * @throws ServiceError as `completeSignIn`; `insufficient_scope` when no rule names the person
 */
export async function openSignedInSession(
  deps: Deps,
  { sealed, query }: { readonly sealed: string; readonly query: string },
  request: OperationRequest,
): Promise<SessionCredentials & { readonly session: ConsoleSession; readonly isAdmin: boolean }> {
  const { entry, subject, claims } = await completeSignIn(deps, sealed, query, request.address ?? "unknown");
  const by = { issuer: entry.issuer, subject };
  const admin = mapAdmin(entry, claims);
  if (admin !== undefined) return { ...await openSignedInAdmin(deps, request, admin, by), isAdmin: true };
  const rights = mapRights(entry, claims, { isNarrowed: false });
  if (rights === undefined) {
    throw new ServiceError(
      "insufficient_scope",
      `Cannot open the console: no rule of the issuer ${entry.name} gives ${subject} a workspace here`,
    );
  }
  const { workspaceId, granted, maxSensitivity } = rights;
  const identity = { ...by, client: entry.signIn.clientId };
  const named = nameKey(entry, claims, { subject, client: "the console" });
  const key = await openIdentityKey(deps, workspaceId, identity, { name: named, scopes: granted, maxSensitivity });
  refuseAddress(key, request.address);
  refuseRegion(deps, key);
  const ctx = createContext(deps, key, { ...request, key });
  return { ...await openConsoleSession(ctx, { signedIn: by }), isAdmin: false };
}

/** Issues tokens: signed statements of who may do what in one workspace, for at most a day (RFC 9068). */
import type { Deps } from "../../../context.ts";
import { signToken } from "../../../crypto/compact_jws.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import { ServiceError } from "../../../errors.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { Scope } from "../../../schema/scopes.ts";
import { tokenKeysOf } from "./keys.ts";

/** The `typ` of every token. */
export const TOKEN_TYPE = "at+jwt";
/** No token counts for longer. */
export const TOKEN_SECONDS_MAX = 86_400;

export interface NewToken {
  /** The service's own address, as the client knows it. */
  readonly issuer: string;
  /** The resource that the token is for (RFC 8707), an address below the issuer's. */
  readonly audience: string;
  /** On whose behalf it is, for the audit of whoever reads it: `key:<id>` of the giver. */
  readonly subject: string;
  /** The client that it is issued to. */
  readonly clientId: string;
  /**
   * What stands behind it, `<kind>:<id>`, such as `key:<public id>`: the token is worth no more than this is when it is used
   * (`GIVERS` in `givers.ts`).
   */
  readonly grant: string;
  /** The name of who uses it. */
  readonly name: string;
  readonly workspaceId: string;
  readonly region: string | null;
  readonly scopes: Iterable<Scope>;
  readonly maxSensitivity: Sensitivity;
  /** For how long it counts; at most a day. */
  readonly seconds: number;
}

export interface IssuedToken {
  readonly token: string;
  /** Its `jti`. */
  readonly id: string;
  readonly expiresAt: Date;
}

/**
 * Signs a token.
 * @throws ServiceError `unavailable` when the service has no secret from which a key is derived
 */
export async function issueToken(deps: Deps, token: NewToken): Promise<IssuedToken> {
  const [key] = tokenKeysOf(deps);
  if (key === undefined) {
    throw new ServiceError("unavailable", "Cannot issue a token: SVC_SECRETS_KEY is not set");
  }
  const now = deps.clock();
  const iat = Math.floor(now.getTime() / 1_000);
  const exp = iat + Math.min(token.seconds, TOKEN_SECONDS_MAX);
  const id = uuidv7(now);
  const text = await signToken(key, TOKEN_TYPE, {
    iss: token.issuer,
    aud: token.audience,
    sub: token.subject,
    client_id: token.clientId,
    jti: id,
    iat,
    nbf: iat,
    exp,
    scope: [...token.scopes].sort().join(" "),
    workspace: token.workspaceId,
    region: token.region ?? "",
    clearance: token.maxSensitivity,
    grant: token.grant,
    name: token.name,
  });
  return { token: text, id, expiresAt: new Date(exp * 1_000) };
}

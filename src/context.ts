/** The arguments of every operation: the service's parts (`Deps`) and the caller (`OperationContext`). */
import type { Config } from "./config.ts";
import type { Argon2id } from "./crypto/argon2id.ts";
import type { SigningKey } from "./crypto/ed25519.ts";
import type { ProvenSecrets } from "./crypto/proven_secrets.ts";
import type { VerifiedKeys } from "./crypto/verified_keys.ts";
import type { Database } from "./db/database.ts";
import type { PeerRow } from "./db/queries/federation_peers.ts";
import type { Tx, TxOptions } from "./db/tx.ts";
import type { EmbeddingProvider } from "./providers/embeddings.ts";
import type { TextGenerator } from "./providers/generation.ts";
import type { AttemptLimit } from "./kv/attempt_limit.ts";
import type { KeyValue } from "./kv/key_value.ts";
import type { RateLimit, RateLimitSetting } from "./kv/rate_limit.ts";
import type { Outbound } from "./outbound/client.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import type { Region } from "./schema/regions.ts";
import type { Scope } from "./schema/scopes.ts";
import type { Sensitivity } from "./schema/common.ts";

/**
 * The parts of a running service, built once in `app.ts`. State that a capability keeps in memory is not among them: the
 * capability's own module creates it with `perService`.
 */
export interface Deps {
  readonly config: Config;
  readonly db: Database;
  /** The only source of the present time; a test freezes it. */
  readonly clock: () => Date;
  /** Whether the boot is done: the database can be reached, is migrated and may be used. */
  readonly isPrepared: () => boolean;
  /** Whether notifications of other processes arrive here; true if there are no other processes. */
  readonly isHearing: () => boolean;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Registers a part that is disposed when the service has stopped: in reverse order, and before the database. */
  disposeAtStop(part: Disposable | AsyncDisposable): void;
  readonly telemetry: Telemetry;
  readonly kv: KeyValue;
  readonly argon2id: Argon2id;
  /** Keys whose secret was verified recently. */
  readonly verifiedKeys: VerifiedKeys<VerifiedKey>;
  /** The same for admins' keys. */
  readonly verifiedAdmins: VerifiedKeys<VerifiedAdmin>;
  /** The same for brokers' keys. */
  readonly verifiedBrokers: VerifiedKeys<VerifiedKey>;
  /** Remembers which tokens of either kind were ever found genuine. */
  readonly provenSecrets: ProvenSecrets;
  readonly failedAttempts: AttemptLimit;
  readonly rateLimit: RateLimit;
  /** The instance's signing key; undefined if there is none that can be read. */
  readonly signingKey: SigningKey | undefined;
  /** The keys that seal stored secrets, the present one first. Without one no secret can be stored. */
  readonly secretsKeys: readonly string[];
  /**
   * The key, 32 bytes, that seals pages for peers without a key of their own; undefined if there is none that can be
   * read.
   */
  readonly sealKey: Uint8Array | undefined;
  /** The client for servers that people and peers name. */
  readonly outbound: Outbound;
  readonly embeddings: EmbeddingProvider;
  /** The configured language model; without one, rules do its work. */
  readonly generator: TextGenerator | undefined;
}

/** The caller, as established from the presented key or by a worker for itself. */
export interface Principal {
  /** `key:<id>`, `admin:<id>`, `broker:<id>`, `worker:<name>`, `peer:<instance>` or `cli`; written as the author of changes. */
  readonly actor: string;
  readonly workspaceId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Rows above this sensitivity do not exist for the principal; the database enforces it. */
  readonly maxSensitivity: Sensitivity;
  /** The public id of the presented key; workers and the command line present none. */
  readonly credential?: string | undefined;
  /** The name of an admin or a broker, which the audit log keeps beside the id. */
  readonly adminName?: string | undefined;
  /** The token of an issuer that stands for the key, as the audit log names it; absent if the key itself was presented. */
  readonly token?: PresentedToken | undefined;
}

/** A key whose secret was verified. */
export interface VerifiedKey extends Principal {
  /** The home region of its workspace; null if the workspace has none. */
  readonly region: string | null;
  readonly expiresAt: Date | null;
  /** The address ranges from which the key may be used; empty = anywhere. */
  readonly cidrs: readonly string[];
  /** Null: the configured one. */
  readonly rateLimit: RateLimitSetting | null;
  /** The break-glass grant by which an admin's key acts in the workspace. */
  readonly grantId?: string | undefined;
  /**
   * The key as the token would open it now, for which an open stream asks again; absent without a token.
   * @throws ServiceError `unauthenticated` when it would not
   */
  readonly recheck?: (() => Promise<VerifiedKey>) | undefined;
  /** Whether the workspace is suspended: then the key opens nothing. */
  readonly isSuspended?: boolean | undefined;
  /** The broker whose key it is; such a key belongs to the workspace of all zeros and manages tenants alone. */
  readonly broker?: Broker | undefined;
}

/** The part of the service for which a token was issued: the MCP server, everything else (HTTP, RPC, streams), or both. */
export type Resource = "mcp" | "api" | "all";

/** A verified token (RFC 9068) in the place of a key. */
export interface PresentedToken {
  /** `iss`: who issued it. */
  readonly issuer: string;
  /** `sub`: on whose behalf. */
  readonly subject: string;
  /** Which client got it; undefined if it names none. */
  readonly client: string | undefined;
  readonly resource: Resource;
}

/** An app that makes workspaces for its users, and what it may give to them. */
export interface Broker {
  readonly id: string;
  readonly name: string;
  readonly region: Region;
  /** What a credential of a tenant may do at most. */
  readonly scopes: ReadonlySet<Scope>;
  readonly maxSensitivity: Sensitivity;
}

/** An admin whose key or token was verified; the workspace is the one of all zeros. */
export interface VerifiedAdmin extends VerifiedKey {
  /** Null for the holder of `SVC_ADMIN_TOKEN`. */
  readonly adminId: string | null;
  /** The admin's key; null for the holder of `SVC_ADMIN_TOKEN`, and for whom an issuer vouches. */
  readonly keyId: string | null;
}

/**
 * The caller of an operation between instances: a peer of the workspace; the holder of a key of scope `federation` that
 * belongs to no peer; or a stranger, whose token names an issuer that is no peer yet, and is not verified.
 */
export type FederationCaller =
  | {
    readonly kind: "peer";
    /** The entry as it was when the request arrived. */
    readonly peer: PeerRow;
    /** Whether the request had a token. A peer without a signing key sends none. */
    readonly isSigned: boolean;
    /**
     * Base64url SHA-256 of the body as it arrived, which the token has proved; undefined for a request without a token.
     */
    readonly payloadHash: string | undefined;
  }
  | { readonly kind: "key_holder" }
  | {
    readonly kind: "stranger";
    /**
     * Verifies the caller's token with a public key that it sent, 32 bytes, and uses the token up. Returns the token's
     * issuer.
     * @throws ServiceError `federation_token_invalid`, `replay_detected`, `unavailable`
     */
    readonly prove: (publicKey: Uint8Array) => Promise<string>;
  };

/** One call of an operation. */
export interface OperationRequest {
  readonly requestId: string;
  /** The operation's id, or a worker's name. */
  readonly operationId: string;
  /** The face through which the call came, if the audit log names it. */
  readonly via?: "mcp" | "console" | undefined;
  /** Aborted when the caller has disconnected or the service stops. */
  readonly signal: AbortSignal;
  /** The caller's address in canonical form, if it is known. */
  readonly address?: string | undefined;
  /** Pin of the client certificate that a trusted proxy verified. */
  readonly certificatePin?: string | undefined;
  /** The longest wait for any one lock of the database, in milliseconds; workers give way to requests. */
  readonly lockTimeoutMs?: number | undefined;
  /** The caller of an operation between instances. */
  readonly federation?: FederationCaller | undefined;
  /** The key with which the request was admitted; absent if none was presented, and inside open streams. */
  readonly key?: VerifiedKey | undefined;
  /** The data that the audit log records about it; default: a new trail. */
  readonly trail?: RequestTrail;
  /**
   * Takes more tokens from the caller's rate limit if the operation turns out to cost more; absent without a caller.
   * @throws ServiceError `rate_limited` when too few are left
   */
  readonly spend?: ((tokens: number) => Promise<void>) | undefined;
  /**
   * Waits for the operation's turn, if it is heavy: the face calls it after reading the input, before any work.
   * @throws ServiceError `rate_limited` when the turn does not come in time
   */
  readonly begin?: (() => Promise<void>) | undefined;
  /**
   * Charges an operation on many items by their number and, if it is heavy, waits for its turn. Called before any work.
   * @throws ServiceError `rate_limited` as `spend` and `begin` do
   */
  readonly noteItems?: ((count: number) => Promise<void>) | undefined;
}

/** The data about one request that the audit log records. */
export interface RequestTrail {
  /** Whether the transaction of a write has recorded it already. */
  isWritten: boolean;
  /** Ids of the resources that the reply shows. */
  shown: readonly string[];
  shownCount: number;
}

/** The first argument of every capability. */
export interface OperationContext extends Principal, OperationRequest {
  readonly deps: Deps;
  readonly trail: RequestTrail;
  /** Opens the operation's transaction in its workspace and clearance. No other await belongs inside. */
  tx<T>(work: (tx: Tx) => Promise<T>, options?: TxOptions): Promise<T>;
}

/** Builds the context of one operation, for HTTP, RPC, workers, the command line and tests alike. */
export function createContext(
  deps: Deps,
  { actor, workspaceId, scopes, maxSensitivity, credential, adminName, token }: Principal,
  request: OperationRequest,
): OperationContext {
  const { requestId, operationId, signal, address, certificatePin, lockTimeoutMs, federation } = request;
  const { spend, begin, noteItems, via, key } = request;
  const trail: RequestTrail = request.trail ?? { isWritten: false, shown: [], shownCount: 0 };
  const subject = { actor, adminName, token, operationId, requestId, address, via };
  const onAudited = () => void (trail.isWritten = true);
  const principal: Principal = { actor, workspaceId, scopes, maxSensitivity, credential, adminName, token };
  return {
    ...principal,
    deps,
    requestId,
    operationId,
    via,
    signal,
    address,
    certificatePin,
    federation,
    lockTimeoutMs,
    key,
    trail,
    spend,
    begin,
    noteItems,
    tx: (work, options) => {
      const run = () => deps.db.tx(principal, work, { signal, subject, onAudited, lockTimeoutMs, ...options });
      const { tracer } = deps.telemetry;
      // Workers' writes belong to no request: a span for each would be a trace of its own, and there are many.
      const traced = options?.readOnly !== true && tracer.traceId() !== undefined;
      return traced ? tracer.span("svc.write", {}, run) : run();
    },
  };
}

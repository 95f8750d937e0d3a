/** Sends one request to a peer with our credentials, and verifies the reply. */
import type { OperationContext } from "../../../context.ts";
import { TokenFault } from "../../../crypto/compact_jws.ts";
import { ERROR_CODES, ServiceError } from "../../../errors.ts";
import { parseJson } from "../../../schema/json_text.ts";
import { clockFault } from "./handshake_messages.ts";
import { PeerFault } from "./peer_fault.ts";
import { partyOf } from "./peer_signals.ts";
import { type Peer, secretsOf, serverPinsOf, signingKeysOf } from "./peers.ts";
import { checkReplyToken, mintRequestToken, PEER_HEADER, TOKEN_HEADER } from "./token.ts";

/** A request to a peer. */
export interface PeerCall {
  readonly method: "GET" | "POST";
  /** The path after the peer's endpoint, such as `/v1/memory/federation/items?workspace=…`. */
  readonly path: string;
  /** The bytes of the body, sent as they are. */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** A reply with more bytes is refused while it is read. */
  readonly replyBytesMax: number;
  readonly deadlineMs?: number;
  /** Whether a POST that may have arrived may be sent again. */
  readonly isRepeatable?: boolean;
  readonly signal: AbortSignal;
}

/** A verified reply of a peer. */
export interface PeerReply {
  /** 2xx, or a 4xx that refuses this request: any but 401, 403 and 429. */
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The certificate that the peer's server showed. */
  readonly certificate: { readonly pin: string; readonly expiresAt: Date } | undefined;
}

const RETRY_AFTER_MS = 30_000;

/**
 * Calls a peer.
 * @throws OutboundError when no usable reply came
 * @throws PeerFault when the peer refuses us, asks us to wait or fails, or its reply cannot be verified
 */
export async function callPeer(ctx: OperationContext, peer: Peer, call: PeerCall): Promise<PeerReply> {
  const { deps } = ctx;
  const url = `${peer.endpoint}${call.path}`;
  const { headers, jti } = await credentialsFor(ctx, peer, { ...call, url });
  const { status, headers: replied, body, certificate } = await deps.outbound.request({
    use: "federation",
    method: call.method,
    url,
    headers: {
      accept: "application/json",
      ...(call.body && { "content-type": "application/json" }),
      ...headers,
      "x-request-id": ctx.requestId,
    },
    body: call.body,
    replyBytesMax: call.replyBytesMax,
    ...(call.deadlineMs !== undefined && { deadlineMs: call.deadlineMs }),
    ...(call.isRepeatable !== undefined && { isRepeatable: call.isRepeatable }),
    party: partyOf(ctx.workspaceId, peer.id),
    pins: serverPinsOf(peer, deps.clock()),
    presentsCertificate: true,
    rules: callRules(peer),
    signal: AbortSignal.any([ctx.signal, call.signal]),
  });
  await verifyReply(ctx, peer, { token: replied.get(TOKEN_HEADER), jti, status, body });
  refuseStatus(status, replied, body, deps.clock());
  return { status, body, certificate };
}

/**
 * Whether any port may be called. An operator may name any port in an endpoint; a workspace admin only those of
 * SVC_OUTBOUND_PORTS.
 */
export function callRules({ source, approvedBy }: Pick<Peer, "source" | "approvedBy">): { readonly anyPort: boolean } {
  return { anyPort: source === "config" || approvedBy === "cli" };
}

/**
 * Makes the credentials of a request: the API key that the peer issued to us, and a token signed by our key. Without a
 * key this instance names itself.
 */
async function credentialsFor(
  { deps }: OperationContext,
  peer: Peer,
  { method, url, body }: PeerCall & { readonly url: string },
): Promise<{ headers: Record<string, string>; jti: string | undefined }> {
  const apiKey = apiKeyFor(deps, peer);
  const bearer: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  if (deps.signingKey === undefined) {
    return { headers: { ...bearer, [PEER_HEADER]: deps.config.instanceId }, jti: undefined };
  }
  const { token, jti } = await mintRequestToken(deps, { to: peer.id, method, url, body: body ?? "" });
  return { headers: { ...bearer, [TOKEN_HEADER]: token }, jti };
}

function apiKeyFor(deps: OperationContext["deps"], peer: Peer): string | undefined {
  try {
    return secretsOf(deps, peer).apiKey;
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    const message = "The secrets of its entry cannot be opened: set SVC_SECRETS_KEY to the key that sealed them";
    throw new PeerFault("secrets_unreadable", message, { cause });
  }
}

/** Verifies the reply's token. A peer that once promised to sign its replies may not leave the token out. */
async function verifyReply(
  { deps }: OperationContext,
  peer: Peer,
  reply: { token: string | null; jti: string | undefined; status: number; body: Uint8Array },
): Promise<void> {
  const { token, jti, status, body } = reply;
  const keys = signingKeysOf(peer, deps.clock());
  if (keys.length === 0 || jti === undefined) return;
  if (token === null) {
    const promised = (peer.told.capabilities as string[] | undefined)?.includes("reply-token") === true;
    // A peer that no longer knows us cannot sign for us, and a proxy in front of a peer that is down has no key.
    const isRefusal = [401, 403, 429].includes(status) || status >= 500;
    if (promised && !isRefusal) {
      const message = `The peer's reply (${status}) is not signed, though the peer signs its replies`;
      throw new PeerFault("reply_token_missing", message);
    }
    return;
  }
  try {
    await checkReplyToken(deps, token, { from: peer.id, keys, jti, status, body });
  } catch (cause) {
    if (!(cause instanceof TokenFault)) throw cause;
    // The signature holds, so it is the peer's own clock that differs.
    if (cause.check === "clock") {
      throw new PeerFault("clock", "The clocks are more than 30 s apart: set the one that is wrong", { cause });
    }
    const message = `The token of the peer's reply fails the check ${cause.check}: compare its key and the clocks`;
    throw new PeerFault("federation_verify_failed", message, { cause });
  }
}

function refuseStatus(status: number, headers: Headers, body: Uint8Array, now: Date): void {
  if (status === 429) {
    const seconds = Number(headers.get("retry-after"));
    throw new PeerFault("rate_limited", "The peer asks to wait", {
      retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : RETRY_AFTER_MS,
    });
  }
  if (status === 401 || status === 403) {
    const { code = "unauthenticated", skewMs } = readProblem(body, now);
    const skewed = skewMs === undefined ? undefined : clockFault(skewMs);
    if (skewed !== undefined) throw skewed;
    throw new PeerFault(code, `The peer refuses us (${status} ${code}): ${REFUSED[code] ?? REFUSED.unauthenticated}`, {
      isRefusal: true,
    });
  }
  if (status >= 500) throw new PeerFault("unavailable", `The peer cannot answer now (${status}): it is tried again`);
  if (status < 200 || status === 204) throw new PeerFault("unexpected_reply", `The peer answered ${status}`);
}

const REFUSED: Readonly<Record<string, string>> = {
  unauthenticated: "ask its operator for a new API key or client certificate for this instance",
  federation_token_invalid: "ask its operator whether its entry has this instance's public key, and compare the clocks",
  replay_detected: "a request arrived twice; if this goes on, something on the way repeats requests",
  insufficient_scope: "ask its operator to approve this instance and to check what its entry allows",
  ip_not_allowed: "ask its operator to allow this instance's address",
  wrong_region: "the workspace lives in another region",
};

interface Problem {
  /** One of this service's error codes. */
  readonly code: string | undefined;
  /** By how many milliseconds the peer's clock is ahead, if the peer refuses us because of the clock. */
  readonly skewMs: number | undefined;
}

/** Reads a refusal in this service's problem format; both members are undefined for any other body. */
export function readProblem(body: Uint8Array, now: Date): Problem {
  let problem: { code?: unknown; reason?: unknown; serverTime?: unknown };
  try {
    problem = parseJson(body) as typeof problem ?? {};
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    problem = {};
  }
  const { code, reason, serverTime } = problem;
  const time = reason === "clock" && typeof serverTime === "string" ? Date.parse(serverTime) : NaN;
  return {
    code: typeof code === "string" && Object.hasOwn(ERROR_CODES, code) ? code : undefined,
    skewMs: Number.isNaN(time) ? undefined : time - now.getTime(),
  };
}

/**
 * Requests to a peer, and its replies checked against their schemas. Callers must still verify the items of a reply.
 */
import type { z } from "zod";
import type { OperationContext } from "../../../context.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import { ServiceError } from "../../../errors.ts";
import { OutboundError } from "../../../outbound/failure.ts";
import { type Envelope, FederationDigest, PAGE_BYTES_MAX } from "../../../schema/federation_item.ts";
import {
  type FederationMessage,
  FederationMessageReply,
  MESSAGE_BYTES_MAX,
} from "../../../schema/federation_message.ts";
import { checkInput } from "../../../schema/field_errors.ts";
import { type JsonLimits, parseJson } from "../../../schema/json_text.ts";
import { callPeer, type PeerCall, type PeerReply, readProblem } from "../peers/call_peer.ts";
import { readEnvelope } from "./envelope.ts";
import { PeerFault } from "../peers/peer_fault.ts";
import { announces, hasKey, type Peer, secretsOf } from "../peers/peers.ts";

const BASE = "/v1/memory/federation";
/** Shorter than the lease of a sync run, in milliseconds. */
const DEADLINE_MS = 25_000;
const ACK_BYTES_MAX = 1_048_576;
const DIGEST_BYTES_MAX = 8_388_608;
/** A digest has at most 500 nodes with up to 256 children each. */
const DIGEST_LIMITS: JsonLimits = { membersOfOneMax: 100, membersMax: 600_000, valuesMax: 800_000 };

/** The peer does not know our cursor: its record began anew, for example after a restore. */
export class PlaceLost extends Error {}

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Sends one request with the id of the workspace at the peer. Repeats a GET once if the connection broke before a reply
 * came.
 */
async function ask(ctx: OperationContext, peer: Peer, path: string, query: Query, call: Omit<PeerCall, "path">) {
  const params = new URLSearchParams({ workspace: peer.remoteWorkspaceId });
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.append(name, [value].flat().join(","));
  }
  const asked = params.toString().replaceAll("%2C", ",");
  const whole = { ...call, path: `${BASE}${path}?${asked}`, deadlineMs: DEADLINE_MS, isRepeatable: false };
  try {
    return await callPeer(ctx, peer, whole);
  } catch (error) {
    // The second try gets a new token: the peer may have used up the first one.
    const isOnce = call.method === "GET" && error instanceof OutboundError && error.reason === "broken";
    if (!isOnce || call.signal.aborted) throw error;
    return await callPeer(ctx, peer, whole);
  }
}

/** The form of the pages of a peer that this instance can read. */
export interface Readable {
  /** `plain`: sealed pages cannot be opened here. It is set when the first one comes. */
  form?: "plain" | undefined;
}

/**
 * Reads a page of the items that the peer published. If the peer seals it and this instance has no keys to open it, asks for
 * it in plain text.
 * @param readable is remembered for the next page
 * @param signal ends this request; the context's ends it, too
 * @throws PlaceLost, PeerFault, OutboundError
 */
export async function askPage(
  ctx: OperationContext,
  peer: Peer,
  query: {
    readonly since?: string;
    readonly limit?: string;
    readonly ids?: readonly string[];
    readonly atMost?: string;
  },
  readable: Readable = {},
  signal: AbortSignal = ctx.signal,
): Promise<Envelope> {
  const page = await askAnyPage(ctx, peer, { ...query, ...readable }, signal);
  if (page.alg === undefined || readable.form !== undefined || opensSealed(ctx.deps, peer)) return page;
  if (!announces(peer, "plain-1")) return page;
  readable.form = "plain";
  return await askAnyPage(ctx, peer, { ...query, ...readable }, signal);
}

/** Whether the entry has the keys to verify and open what the peer seals, or nothing else may be accepted. */
function opensSealed(deps: OperationContext["deps"], peer: Peer): boolean {
  return deps.config.federation.requireCrypto || (hasKey(peer) && secretsOf(deps, peer).symmetricKey !== undefined);
}

async function askAnyPage(
  ctx: OperationContext,
  peer: Peer,
  query: Query & { readonly since?: string },
  signal: AbortSignal,
): Promise<Envelope> {
  const call = { method: "GET", replyBytesMax: PAGE_BYTES_MAX, signal } as const;
  const reply = await ask(ctx, peer, "/items", query, call);
  if (reply.status === 422 && query.since !== undefined) throw new PlaceLost();
  refuse(ctx, reply);
  try {
    return readEnvelope(reply.body);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new PeerFault("page_unreadable", "The peer's page has a form that this build does not know", { cause });
  }
}

/**
 * Reads nodes of the peer's digest.
 * @throws PeerFault, OutboundError
 */
export async function askDigest(
  ctx: OperationContext,
  peer: Peer,
  query: { readonly side: "served" | "held"; readonly prefix: readonly string[]; readonly depth: string },
): Promise<FederationDigest> {
  const call = { method: "GET", replyBytesMax: DIGEST_BYTES_MAX, signal: ctx.signal } as const;
  const digest = read(FederationDigest, await ask(ctx, peer, "/digest", query, call), ctx, DIGEST_LIMITS);
  const isIt = digest.from === peer.id && digest.to === ctx.deps.config.instanceId && digest.side === query.side &&
    digest.workspace === peer.remoteWorkspaceId && digest.nodes.length === query.prefix.length &&
    digest.nodes.every(({ prefix }, i) => prefix === query.prefix[i]);
  if (!isIt) throw new PeerFault("unexpected_reply", "The peer's digest is not the one that was asked for");
  return digest;
}

type Unaddressed<M> = M extends FederationMessage ? Omit<M, "v" | "messageId" | "from" | "to" | "workspace"> : never;

/**
 * Sends a message.
 * @returns the peer's answer, and the id of the message that the answer must name
 * @throws PeerFault, OutboundError
 */
export async function sendMessage(
  ctx: OperationContext,
  peer: Peer,
  message: Exclude<Unaddressed<FederationMessage>, { type: "SYNC_ACK" }>,
): Promise<{ readonly reply: FederationMessageReply; readonly messageId: string }> {
  const { clock, config: { instanceId } } = ctx.deps;
  const messageId = uuidv7(clock());
  const head = { v: 1, messageId, from: instanceId, to: peer.id, workspace: peer.remoteWorkspaceId };
  const body = new TextEncoder().encode(canonicalJson({ ...head, ...message }));
  if (body.length > MESSAGE_BYTES_MAX) throw new Error("a message to a peer is longer than peers take");
  const call = { method: "POST", body, replyBytesMax: ACK_BYTES_MAX, signal: ctx.signal } as const;
  return { reply: read(FederationMessageReply, await ask(ctx, peer, "/messages", {}, call), ctx), messageId };
}

/** Throws for any refusal, which ends the sync run: the entries on both sides do not fit each other. */
function refuse({ deps }: OperationContext, { status, body }: PeerReply): void {
  if (status < 300) return;
  const { code = "unexpected_reply" } = readProblem(body, deps.clock());
  const advice = status === 404
    ? "ask its operator for the id of the workspace and whether the workspace has peers"
    : "look at its log";
  throw new PeerFault(code, `The peer refuses the request (${status} ${code}): ${advice}`);
}

function read<S extends z.ZodType>(schema: S, reply: PeerReply, ctx: OperationContext, limits?: JsonLimits) {
  refuse(ctx, reply);
  let value: unknown;
  try {
    value = parseJson(reply.body, limits);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new PeerFault("unexpected_reply", "The peer's reply is no JSON: check its endpoint", {
      cause,
    });
  }
  const checked = checkInput(schema, value);
  if (checked.faults) {
    throw new PeerFault("unexpected_reply", "The peer's reply has a form that this build does not know");
  }
  return checked.data as z.output<S>;
}

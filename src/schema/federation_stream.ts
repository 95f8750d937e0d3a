/** The messages of the stream between instances (`FederationSync` in `proto/svc/v1/svc.proto`), in both directions. */
import { z } from "zod";
import { SyncAck } from "./federation_ack.ts";
import { Answer, Challenge, Hello, Welcome } from "./federation_handshake.ts";
import { FederationDigest, FederationDigestQuery, ListFederationItemsQuery } from "./federation_item.ts";
import { Accepted, ClaimReply, ClaimRequest, EraseNotify, SyncHint, SyncPush } from "./federation_message.ts";
import { ItemError } from "./unit.ts";

/** Chosen by whoever asks; the answer repeats it. */
export const SyncMessageId = z.string().min(1).max(128);

/** What every message of a peer has. */
export const SyncHead = z.strictObject({ id: SyncMessageId });

/** The JSON of an envelope, in base64 as Protobuf's JSON has bytes. */
const EnvelopeBytes = z.base64();

/** Why a message was refused, and after how many seconds the peer may send it again. */
const SyncError = ItemError.extend({ retryAfterSeconds: z.int().min(1).optional() });

/** What a peer sends: one member. */
const ASKED = {
  hello: Hello.optional(),
  answer: Answer.optional(),
  pull: ListFederationItemsQuery.optional(),
  push: SyncPush.extend({ envelope: EnvelopeBytes }).optional(),
  erase: EraseNotify.optional(),
  hint: SyncHint.optional(),
  claims: ClaimRequest.optional(),
  digest: FederationDigestQuery.optional(),
};

/** What it is answered with: one member. */
const ANSWERED = {
  challenge: Challenge.optional(),
  welcome: Welcome.optional(),
  page: z.strictObject({ envelope: EnvelopeBytes }).optional(),
  ack: SyncAck.optional(),
  accepted: Accepted.optional(),
  claimReply: ClaimReply.optional(),
  digestReply: FederationDigest.optional(),
  error: SyncError.optional(),
};

/** Whoever sends it has `token` from the bytes that `id` and the one other member make as canonical JSON. */
export const SyncMessage = z.strictObject({
  id: SyncMessageId.optional(),
  token: z.string().optional(),
  ...ASKED,
  ...ANSWERED,
});
export type SyncMessage = z.input<typeof SyncMessage>;

/** What a message asks for, by the name of its member. */
export type SyncAsked = keyof typeof ASKED;

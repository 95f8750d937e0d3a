/** Operations of the exchange with peers: sync jobs, and the messages that peers send. */
import { takeMessage } from "../domain/federation/exchange/messages.ts";
import { showSync, startSync } from "../domain/federation/exchange/sync_jobs.ts";
import { FederationMessage, FederationMessageReply, MESSAGE_BYTES_MAX } from "../schema/federation_message.ts";
import { PeerQuery } from "../schema/federation_peer.ts";
import { SyncBody, SyncJob, SyncJobParams, SyncStarted } from "../schema/federation_sync.ts";
import { ONE } from "./cost.ts";
import { operation } from "./operation.ts";

/** Starts a sync job with a peer. */
export const startFederationSync = operation({
  id: "startFederationSync",
  summary: "Exchange with a peer now",
  description:
    "Starts a sync job; if a job with the same options is open, returns that one. Exchange goes on without jobs, too: this instance reads a peer when the peer announces something new, and every minute.",
  scope: "federation",
  body: SyncBody,
  status: 202,
  reply: SyncStarted,
  errors: ["not_found", "invalid_transition", "conflict"],
  example: { body: { peer: "instance:b.example", conflictResolution: "manual" } },
}, (ctx, { body }) => startSync(ctx, body));

/** Returns a sync job with its result. */
export const getFederationSync = operation({
  id: "getFederationSync",
  summary: "Read a sync job and its result",
  scope: "federation",
  changes: false,
  params: SyncJobParams,
  reply: SyncJob,
}, (ctx, { params }) => showSync(ctx, params.jobId));

/** Accepts a message of a peer. */
export const sendFederationMessage = operation({
  id: "sendFederationMessage",
  summary: "Accept a peer's message",
  description:
    "For other instances. `SYNC_PUSH` brings items and `ERASE_NOTIFY` names erased items; both get a signed `SYNC_ACK`. `SYNC_HINT` announces new items. `CLAIM_REQUEST` asks which versions of items are shown here. `SYNC_ACK` acknowledges an earlier message. Messages that come twice, late or in another order lead to the same result.",
  bearer: "peer",
  scope: "federation",
  cost: { ...ONE, bySize: { of: "item", each: 100 } },
  changes: false,
  query: PeerQuery,
  body: FederationMessage,
  bodyBytesMax: MESSAGE_BYTES_MAX,
  reply: FederationMessageReply,
  errors: ["federation_verify_failed", "federation_decrypt_failed", "wrong_region", "unavailable"],
  example: {
    body: {
      v: 1,
      type: "SYNC_HINT",
      messageId: "01990000-0000-7000-8000-0000000000d4",
      from: "instance:a.example",
      to: "instance:b.example",
      workspace: "01890000-0000-7000-8000-000000000001",
    },
  },
}, (ctx, { body }) => takeMessage(ctx, body));

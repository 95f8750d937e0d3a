/** Exchange with peers: jobs that do it, and the messages of peers. */
import { takeMessage } from "../domain/federation/messages.ts";
import { showSync, startSync } from "../domain/federation/sync_jobs.ts";
import { FederationMessage, FederationMessageReply, MESSAGE_BYTES_MAX } from "../schema/federation_message.ts";
import { PeerQuery } from "../schema/federation_peer.ts";
import { SyncBody, SyncJob, SyncJobParams, SyncStarted } from "../schema/federation_sync.ts";
import { ONE } from "./cost.ts";
import { operation } from "./operation.ts";

/** Starts an exchange with a peer. */
export const startFederationSync = operation({
  id: "startFederationSync",
  summary: "Exchange with a peer now",
  description:
    "Starts a job; the same wish again answers the open one. Without it, exchange goes on by itself: a peer is read when it says that there is something new, and every minute.",
  scope: "federation",
  body: SyncBody,
  status: 202,
  reply: SyncStarted,
  errors: ["not_found", "invalid_transition", "conflict"],
  example: { body: { peer: "instance:b.example", conflictResolution: "manual" } },
}, (ctx, { body }) => startSync(ctx, body));

/** Reads what an exchange came to. */
export const getFederationSync = operation({
  id: "getFederationSync",
  summary: "Read what an exchange came to",
  scope: "federation",
  changes: false,
  params: SyncJobParams,
  reply: SyncJob,
}, (ctx, { params }) => showSync(ctx, params.jobId));

/** Takes a message of a peer. */
export const sendFederationMessage = operation({
  id: "sendFederationMessage",
  summary: "Take a peer's message",
  description:
    "Between instances. `SYNC_PUSH` brings items and `ERASE_NOTIFY` erasures; both get a signed `SYNC_ACK`. `SYNC_HINT` says that there is something to be read. `CLAIM_REQUEST` asks what is shown of items. `SYNC_ACK` acknowledges later. Whatever comes twice, late or in another order leads to the same.",
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

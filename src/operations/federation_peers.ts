/** Peers: other instances that a workspace exchanges knowledge with. */
import * as manage from "../domain/federation/manage_peers.ts";
import * as show from "../domain/federation/show_peers.ts";
import {
  AddPeerBody,
  ApprovePeerBody,
  Peer,
  PeerList,
  PeerParams,
  RemovedPeer,
} from "../schema/federation_peer_resource.ts";
import { operation } from "./operation.ts";

/** Lists the peers that are approved. */
export const listPeers = operation({
  id: "listPeers",
  summary: "List peers and how it stands with them",
  description:
    "The approved peers of the workspace. `DISCOVERED` → `HANDSHAKE` → `ACTIVE` ⇄ `DEGRADED`; `lastError.message` says what to do.",
  scope: "federation",
  changes: false,
  reply: PeerList,
}, (ctx) => show.showPeers(ctx, "approved"));

/** Lists the peers that wait for approval. */
export const listPendingPeers = operation({
  id: "listPendingPeers",
  summary: "List peers that wait for approval",
  description: "Those that DNS names and those that somebody has added. Nothing is sent to them and nothing served.",
  scope: "federation",
  changes: false,
  reply: PeerList,
}, (ctx) => show.showPeers(ctx, "pending"));

/** Reads a peer. */
export const getPeer = operation({
  id: "getPeer",
  summary: "Read a peer",
  scope: "federation",
  changes: false,
  params: PeerParams,
  reply: Peer,
}, (ctx, { params }) => show.showPeer(ctx, params.id));

/** Adds a peer, which waits for approval. */
export const addPeer = operation({
  id: "addPeer",
  summary: "Add a peer",
  description:
    "Stores an entry with its secrets sealed; the peer waits for approval. Needs the scope `memory:admin` besides. With `svc federation invite` and `join` neither side has to write an entry.",
  scope: "federation",
  body: AddPeerBody,
  status: 201,
  reply: Peer,
  errors: ["conflict"],
  example: {
    body: {
      id: "instance:b.example",
      endpoint: "https://b.example",
      certPin: "sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DA=",
      direction: "bidirectional",
      maxSensitivity: "internal",
      signingPublicKey:
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n",
    },
  },
}, (ctx, { body }) => manage.addPeer(ctx, body));

/** Approves a peer that waits. */
export const approvePeer = operation({
  id: "approvePeer",
  summary: "Approve a peer",
  description:
    "The peer is greeted at once; when both sides have proved who they are, it is `ACTIVE`. A peer that DNS names is approved with its `certPin` and `signingPublicKey`: compare them with what its operator tells you (`svc federation peers probe` shows what its server presents). Needs the scope `memory:admin` besides.",
  scope: "federation",
  params: PeerParams,
  body: ApprovePeerBody,
  reply: Peer,
  errors: ["invalid_transition", "conflict"],
  example: { body: { maxSensitivity: "internal" } },
}, (ctx, { params, body }) => manage.approvePeer(ctx, params.id, body));

/** Removes a peer. */
export const removePeer = operation({
  id: "removePeer",
  summary: "Remove a peer",
  description:
    "Every process refuses it within a second, ends what runs with it, and forgets its keys; the API key that it was given is revoked. What was received from it stays. It is not discovered again until somebody adds it. Needs the scope `memory:admin` besides.",
  scope: "federation",
  params: PeerParams,
  reply: RemovedPeer,
}, (ctx, { params }) => manage.removePeer(ctx, params.id));

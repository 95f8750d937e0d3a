/** Operations on peers: other instances with which a workspace exchanges knowledge. */
import * as manage from "../domain/federation/peers/manage_peers.ts";
import * as show from "../domain/federation/peers/show_peers.ts";
import {
  AddPeerBody,
  ApprovePeerBody,
  ListPeersQuery,
  Peer,
  PeerList,
  PeerParams,
  RemovedPeer,
} from "../schema/federation_peer_resource.ts";
import { operation } from "./operation.ts";

/** Lists the approved peers. */
export const listPeers = operation({
  id: "listPeers",
  summary: "List approved peers and their states",
  description:
    "The approved peers of the workspace. `DISCOVERED` → `HANDSHAKE` → `ACTIVE` ⇄ `DEGRADED`; `lastError.message` says what to do.",
  scope: "federation",
  changes: false,
  query: ListPeersQuery,
  reply: PeerList,
}, (ctx, { query }) => show.showPeerPage(ctx, "approved", query));

/** Lists the peers that wait for approval. */
export const listPendingPeers = operation({
  id: "listPendingPeers",
  summary: "List peers that wait for approval",
  description: "Peers that DNS names and peers that somebody added. This instance neither calls them nor serves them.",
  scope: "federation",
  changes: false,
  query: ListPeersQuery,
  reply: PeerList,
}, (ctx, { query }) => show.showPeerPage(ctx, "pending", query));

/** Reads a peer. */
export const getPeer = operation({
  id: "getPeer",
  summary: "Read a peer",
  scope: "federation",
  changes: false,
  params: PeerParams,
  reply: Peer,
  versioned: true,
}, (ctx, { params }) => show.showPeer(ctx, params.id));

/** Adds a peer, which waits for approval. */
export const addPeer = operation({
  id: "addPeer",
  summary: "Add a peer",
  description:
    "Stores a peer's entry, with its secrets sealed. The peer waits for approval. Also needs the scope `memory:admin`. With `svc federation invite` and `join` neither side has to write an entry.",
  scope: "federation",
  body: AddPeerBody,
  status: 201,
  reply: Peer,
  versioned: true,
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

/** Approves a peer that waits for approval. */
export const approvePeer = operation({
  id: "approvePeer",
  summary: "Approve a peer",
  description:
    "This instance begins a handshake with the peer at once; when both sides have proved their identities, the peer is `ACTIVE`. To approve a peer that DNS named, give its `certPin` and `signingPublicKey`: compare them with what its operator tells you (`svc federation peers probe` shows the certificate of its server). Also needs the scope `memory:admin`.",
  scope: "federation",
  params: PeerParams,
  body: ApprovePeerBody,
  reply: Peer,
  versioned: true,
  errors: ["invalid_transition", "conflict"],
  example: { body: { maxSensitivity: "internal" } },
}, (ctx, { params, body, expectedVersion }) => manage.approvePeer(ctx, params.id, body, expectedVersion));

/** Removes a peer. */
export const removePeer = operation({
  id: "removePeer",
  summary: "Remove a peer",
  description:
    "Every process refuses the peer within a second, ends its calls and turns with it, and forgets its keys. The API key that the peer was given is revoked. The items that were received from it stay. Discovery does not offer it again until somebody adds it. Also needs the scope `memory:admin`.",
  scope: "federation",
  params: PeerParams,
  reply: RemovedPeer,
  errors: ["version_mismatch"],
}, (ctx, { params, expectedVersion }) => manage.removePeer(ctx, params.id, expectedVersion));

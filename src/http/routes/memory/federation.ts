/** `/v1/memory/federation` */
import * as conflicts from "../../../operations/federation_conflicts.ts";
import * as handshake from "../../../operations/federation_handshake.ts";
import * as items from "../../../operations/federation_items.ts";
import * as peers from "../../../operations/federation_peers.ts";
import * as sync from "../../../operations/federation_sync.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Federation",
  section: "Upkeep",
  description: "Exchange of knowledge with other instances: peers, the items that they read, sync jobs and conflicts.",
};

export const listPeers = route("get", "/memory/federation/peers", peers.listPeers);
export const addPeer = route("post", "/memory/federation/peers", peers.addPeer);
export const listPendingPeers = route("get", "/memory/federation/peers/pending", peers.listPendingPeers);
export const getPeer = route("get", "/memory/federation/peers/{id}", peers.getPeer);
export const approvePeer = route("post", "/memory/federation/peers/{id}/approve", peers.approvePeer);
export const removePeer = route("delete", "/memory/federation/peers/{id}", peers.removePeer);
export const federationHandshake = route("post", "/memory/federation/handshake", handshake.federationHandshake);
export const listFederationItems = route("get", "/memory/federation/items", items.listFederationItems);
export const listRemoteFacts = route("get", "/memory/federation/items/remote", items.listRemoteFacts);
export const getFederationDigest = route("get", "/memory/federation/digest", items.getFederationDigest);
export const listFederationConflicts = route("get", "/memory/federation/conflicts", conflicts.listFederationConflicts);
export const resolveFederationConflict = route(
  "post",
  "/memory/federation/resolve",
  conflicts.resolveFederationConflict,
);
export const startFederationSync = route("post", "/memory/federation/sync", sync.startFederationSync);
export const getFederationSync = route("get", "/memory/federation/sync/{jobId}", sync.getFederationSync);
export const sendFederationMessage = route("post", "/memory/federation/messages", sync.sendFederationMessage);

/** Operations by which instances read each other's items: pages, and the digest that proves that nothing is missing. */
import { serveDigest } from "../domain/federation/exchange/digest.ts";
import { listRemoteFacts as listRemote } from "../domain/federation/protocol/projection.ts";
import { serveItems } from "../domain/federation/exchange/serve.ts";
import {
  Envelope,
  FederationDigest,
  FederationDigestQuery,
  ListFederationItemsQuery,
  ListRemoteFactsQuery,
  RemoteFactPage,
} from "../schema/federation_item.ts";
import { operation } from "./operation.ts";

/** Returns a page of the items that this instance published. */
export const listFederationItems = operation(
  {
    id: "listFederationItems",
    summary: "List the items that this instance published",
    description:
      "Items up to the caller's clearance, in the order of publication, signed and sealed if there are keys. For an erased item the page has a tombstone. Send `cursor` as the next `since`; the last page has no items, and its `cursor` equals the `since` that you sent. A peer in another region gets only the ids and keyed hashes of facts.",
    scope: "federation",
    changes: false,
    bearer: "peer",
    admits: ["key_holder"],
    query: ListFederationItemsQuery,
    reply: Envelope,
    errors: ["not_found"],
  },
  (ctx, { query }) => serveItems(ctx, query),
);

/** Returns the digest over the items that this instance published, or over the caller's items that it holds. */
export const getFederationDigest = operation(
  {
    id: "getFederationDigest",
    summary: "Compare the items that two instances have of each other",
    description:
      "Hashes over ranges of items: equal roots prove that both sides have the same versions; if they differ, the children show in which ranges. There are 65,536 buckets, by the first four hex digits of the SHA-256 of `<instance>/<id>`.",
    scope: "federation",
    changes: false,
    bearer: "peer",
    admits: ["key_holder"],
    query: FederationDigestQuery,
    reply: FederationDigest,
    errors: ["not_found"],
  },
  (ctx, { query }) => serveDigest(ctx, query),
);

/** Lists the facts of other regions, of which only ids and keyed hashes are known. */
export const listRemoteFacts = operation(
  {
    id: "listRemoteFacts",
    summary: "List the facts of other regions that peers have announced",
    description:
      "Peers in other regions send only the ids and keyed hashes of their facts. Nothing more is known of them here.",
    scope: "federation",
    changes: false,
    query: ListRemoteFactsQuery,
    reply: RemoteFactPage,
  },
  (ctx, { query }) => listRemote(ctx, query),
);

/** What instances ask of each other's knowledge: pages of items, the digest that proves that nothing is missing. */
import { serveDigest } from "../domain/federation/digest.ts";
import { listRemoteFacts as listRemote } from "../domain/federation/projection.ts";
import { serveItems } from "../domain/federation/serve.ts";
import {
  Envelope,
  FederationDigest,
  FederationDigestQuery,
  ListFederationItemsQuery,
  ListRemoteFactsQuery,
  RemoteFactPage,
} from "../schema/federation_item.ts";
import { operation } from "./operation.ts";

/** A page of what this instance published. */
export const listFederationItems = operation(
  {
    id: "listFederationItems",
    summary: "List the items that this instance published",
    description:
      "In the order of publication, as far as the caller is cleared: whole items, signed and sealed where there are keys; of what was erased a tombstone. Pass `cursor` as `since` to read on; the end is a page without items whose `cursor` is the one that was asked with. A peer of another region gets the ids and keyed hashes of facts, and nothing else.",
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

/** The digest over what this instance published, or over what it holds of the caller. */
export const getFederationDigest = operation(
  {
    id: "getFederationDigest",
    summary: "Compare what two instances have of each other",
    description:
      "Hashes over ranges of items: equal roots prove that both sides have the same versions; where they differ, the children show in which ranges. 65,536 buckets by the first four hex digits of the SHA-256 of `<instance>/<id>`.",
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

/** Facts of other regions. */
export const listRemoteFacts = operation(
  {
    id: "listRemoteFacts",
    summary: "List the facts of other regions that peers told of",
    description: "Nothing but ids and keyed hashes crosses the border of a region: this is all that is known of them.",
    scope: "federation",
    changes: false,
    query: ListRemoteFactsQuery,
    reply: RemoteFactPage,
  },
  (ctx, { query }) => listRemote(ctx, query),
);

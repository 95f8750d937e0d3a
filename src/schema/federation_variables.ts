/**
 * The variables of the environment about the exchange with other instances: who the peers are, how pages for them are
 * sealed, and how often both sides ask.
 */
import { z } from "zod";
import { Id } from "./common.ts";
import { int, onOff } from "./environment_values.ts";
import { InstanceEndpoint } from "./federation_peer.ts";

const PEERS_CHARS_MAX = 1_048_576;

/** Part of `Environment`, which says what `section` and `secret` mean. */
export const federationVariables = {
  SVC_FEDERATION_ENDPOINT: InstanceEndpoint.optional().meta({
    secret: "password",
    section: "Federation",
    description:
      "The base URL at which peers reach this instance, `https://…`. The URL in a peer's token must begin with it. Unset: only path and query of that URL are checked, and invitations cannot be made",
  }),
  SVC_FEDERATION_SYMMETRIC_KEY: z.string().min(1).max(200).optional().meta({
    secret: "value",
    description:
      "Base64 of 32 random bytes: seals the pages for peers that have no key of their own. Without it or without the private key, pages are served in plaintext",
  }),
  SVC_FEDERATION_REQUIRE_CRYPTO: onOff("off").meta({
    description: "`on`: the service neither serves nor accepts plaintext, and does not start without valid keys",
  }),
  SVC_FEDERATION_PEERS: z.string().max(PEERS_CHARS_MAX).optional().meta({
    secret: "value",
    description:
      "Peers: a JSON array of entries (`id`, `endpoint`, `workspaces`, `certPin`, `signingPublicKey`, `symmetricKey`, `apiKey` …)",
  }),
  SVC_FEDERATION_PEERS_FILE: z.string().min(1).optional().meta({
    description: "A file with that array; use either this or `SVC_FEDERATION_PEERS`",
  }),
  SVC_FEDERATION_SRV: z.string().max(255).regex(
    /^_[a-z0-9-]{1,62}\._tcp(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){2,}$/,
    "must be _service._tcp.domain",
  ).optional().meta({
    description: "Name of the DNS SRV records by which the service discovers peers: `_svc-federation._tcp.example.com`",
  }),
  SVC_FEDERATION_SRV_WORKSPACES: z.string().transform((text) => text.split(",").map((id) => id.trim())).pipe(
    z.array(Id).min(1).max(1_000),
  ).optional().meta({
    description: "The workspaces in which discovered peers are offered for approval: ids, separated by commas",
  }),
  SVC_FEDERATION_INTERVAL_SECONDS: int(60, 1, 86_400).meta({
    description: "Seconds between two sync runs with a peer that announces nothing",
  }),
  SVC_FEDERATION_RECONCILE_HOURS: int(24, 1, 720).meta({
    description: "Hours between two comparisons of all items with a peer",
  }),
  SVC_FEDERATION_PER_MINUTE: int(600, 1, 1_000_000).meta({
    description: "Requests per minute that one peer may make",
  }),
  SVC_FEDERATION_SELF_WEIGHT: int(100, 0, 100).meta({
    description: "Weight of this instance's own vote when instances vote about an item, 0 to 100",
  }),
  SVC_FEDERATION_TENANT_PEERS: onOff("on").meta({
    description: "`off`: only the operator, and no workspace admin, adds and approves peers",
  }),
};

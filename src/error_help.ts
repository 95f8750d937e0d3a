/** What each error code means and what to do about it, for people: the pages at `/v1/errors` and `docs/reference/errors.md`. */
import type { ErrorCode } from "./errors.ts";

/** The help for one code: plain sentences, in which backticks mark code. */
export interface ErrorHelp {
  /** When the service answers with this code. */
  readonly means: string;
  /** What the caller, or the operator, does about it. */
  readonly remedy: string;
}

/** The help for every error code. A code without an entry does not compile. */
export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  invalid_request: {
    means:
      "The service cannot read the request: the body is not JSON, or the query, a header or the path is malformed or " +
      "too wide.",
    remedy: "Read `message`: it says what cannot be read and, for JSON, where. Send the body as UTF-8 JSON with " +
      "`Content-Type: application/json`.",
  },
  unauthenticated: {
    means:
      "The request has no key, or one that does not count. An unknown, wrong, revoked or expired key gets the same " +
      "reply, so that nobody learns which keys exist.",
    remedy:
      "Send `Authorization: Bearer svc_live_…`. Ask the operator whether the key is revoked or expired; `svc key " +
      "list` shows it. After too many failures your address is shut out for the rest of the minute.",
  },
  federation_token_invalid: {
    means: "A peer's token for an exchange is invalid or expired, or was made for another instance.",
    remedy: "Check that both clocks are right and that each instance has pinned the other's present key: `svc " +
      "federation peers list` shows it. `reason` is `clock` if a clock is wrong, otherwise `invalid`.",
  },
  replay_detected: {
    means: "A federation message or token was used before. Each counts once.",
    remedy:
      "Make a new one for each request. If a proxy repeats requests by itself, switch that off for the federation's " +
      "paths.",
  },
  totp_invalid: {
    means: "The one-time code of an admin is missing, wrong, or was used before.",
    remedy:
      "Wait for the next code of the authenticator and send it once, as `totp`. If all codes fail, the clock of the " +
      "service or of the authenticator is wrong.",
  },
  insufficient_scope: {
    means: "The key is valid, and does not have the scope that the operation asks for; `message` names the scope.",
    remedy: "Use a key with this scope, or ask the operator for one. `GET /v1/whoami` lists the scopes of your key.",
  },
  origin_not_allowed: {
    means: "A page of another origin calls, or the request names a host that the service does not know as its own.",
    remedy: "The operator lists the page's origin in `SVC_CORS_ORIGINS`, and the names of the service in `SVC_HOSTS`.",
  },
  ip_not_allowed: {
    means: "The key, or the operation, may not be used from this address.",
    remedy: "Call from an address of the key's list, or have the list changed. Behind a proxy the operator sets " +
      "`SVC_TRUSTED_PROXY_IP`, otherwise the service sees the proxy's address.",
  },
  wrong_region: {
    means: "The workspace, or the item, belongs to another region; `homeRegion` names it.",
    remedy: "Call the deployment of that region. The service neither shows nor processes the data here.",
  },
  workspace_suspended: {
    means: "The key or token is valid, and its workspace is suspended: no request there is served until it is resumed.",
    remedy: "Whoever runs the app, or an admin of the service, resumes it: `POST /v1/admin/tenants/{id}/resume`. " +
      "Nothing in the workspace was changed.",
  },
  break_glass_required: {
    means: "An admin wants to enter a workspace without an approved grant.",
    remedy:
      "Ask for a grant (`POST /v1/admin/break-glass`), have a second admin approve it, and name it in the header that " +
      "`message` shows.",
  },
  self_approval: {
    means: "An admin tried to approve their own break-glass request.",
    remedy: "A second admin approves it, with their own code.",
  },
  not_found: {
    means:
      "There is nothing here that you may see: it never existed, belongs to another workspace, or lies above your " +
      "key's clearance. These cases look the same on purpose.",
    remedy: "Check the path and the id, and with `GET /v1/whoami` the workspace and the clearance of your key.",
  },
  method_not_allowed: {
    means: "The path exists, but not with this method.",
    remedy: "Use a method of the reply's `Allow` header.",
  },
  conflict: {
    means: "Something with this name, id or state exists already.",
    remedy: "Read what exists (`message` says what), then update it or choose another name.",
  },
  invalid_transition: {
    means: "The thing is in a state in which this step is impossible, such as superseding what was retracted.",
    remedy: "Read its present `status`; `message` often names the step that leads there, such as restoring it first.",
  },
  gate_closed: {
    means: "The workspace's gate is closed, so nothing is consolidated now; `errors` lists the conditions that failed.",
    remedy: "Clear the conditions (`GET /v1/memory/governance/gate`), or let a person release the hold.",
  },
  RESURRECTION_BLOCKED: {
    means: "Something with this id was erased, and what was erased does not come back.",
    remedy: "Do not send the item again. If it is a new piece of knowledge, store it under a new id.",
  },
  VERSION_JUMP_REJECTED: {
    means: "A peer sent a version of an item whose number is more than 100 above the highest one known here.",
    remedy:
      "Nothing for a peer of this service, which goes on from there by itself. Another one sends the item under a " +
      "number at most 100 above `base`, which the item's result names.",
  },
  idempotency_in_progress: {
    means: "A request with the same `Idempotency-Key` is still running.",
    remedy: "Wait as long as `Retry-After` says and send the same request again: you get the first one's reply.",
  },
  erased: {
    means: "It existed and was erased; nothing of its content is left.",
    remedy: "Stop using this id. The receipt of the erasure says when it happened.",
  },
  version_mismatch: {
    means: "The thing has changed since you read it: its version is not the one in `If-Match`.",
    remedy: "Read it again, apply your change to what you read, and send it with the new `ETag`.",
  },
  payload_too_large: {
    means: "The body, a message or an unpacked file is larger than the operation accepts; `message` names the limit.",
    remedy: "Send less at a time, for example 500 facts a request, or a file by the import.",
  },
  unsupported_media_type: {
    means: "The `Content-Type` is none that the operation reads, or the file has an unknown format.",
    remedy: "Use a type that `message` lists; nearly always it is `application/json`.",
  },
  validation_failed: {
    means: "The service could read the request, but members are missing, unknown or out of range.",
    remedy:
      "Each entry of `errors` names the path of a member and what is wrong with it. Unknown members are refused, " +
      "never ignored.",
  },
  idempotency_key_reused: {
    means: "The `Idempotency-Key` was used within the last 24 hours for a different request.",
    remedy: "Use a new key for each new request, and the same one only to repeat it.",
  },
  federation_verify_failed: {
    means: "The signature of a peer's item or page is wrong.",
    remedy:
      "Check the peer's pinned key (`svc federation peers list`). If the key is right, the data was changed on its way: tell " +
      "the peer's operator.",
  },
  federation_decrypt_failed: {
    means: "An item from a peer cannot be opened with this instance's keys.",
    remedy: "The peer sealed it for an old or wrong key: let both instances shake hands again.",
  },
  rate_limited: {
    means:
      "The key, its workspace or the address has made more requests than its rate allows, or does too many things at once.",
    remedy:
      "Wait as long as `Retry-After` says. Send batches instead of single writes; the operator can raise the limit.",
  },
  internal: {
    means: "A fault of the service. The reply tells nothing else on purpose.",
    remedy: "Give the `requestId` to the operator, who finds the cause under it in the log.",
  },
  unavailable: {
    means: "The service, or something that it needs, such as its database, cannot answer now.",
    remedy:
      "Try again after `Retry-After`; writes with an `Idempotency-Key` are safe to repeat. `/v1/health/ready` tells the operator " +
      "what is wrong.",
  },
  deadline_exceeded: {
    means: "The request took longer than its deadline, or its body arrived too slowly.",
    remedy: "Try again; ask for less at a time. A write may have happened all the same: repeat it with the same " +
      "`Idempotency-Key`.",
  },
};

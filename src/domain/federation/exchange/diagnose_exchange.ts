/** The last steps of `svc federation doctor`: sealing, one page of the peer, and both sides' digests. */
import type { OperationContext } from "../../../context.ts";
import { RangeTree } from "../../../crypto/range_tree.ts";
import { readBuckets } from "../../../db/queries/federation_versions.ts";
import { ServiceError } from "../../../errors.ts";
import { askDigest, askPage } from "../protocol/ask_peer.ts";
import { eventOfFault } from "../peers/peer_fault.ts";
import { isAbroad, type Peer } from "../peers/peers.ts";
import { publish, seeingAll } from "../register/publish.ts";
import { isReadable } from "./pull.ts";
import { sideOfPeer } from "./reconcile.ts";
import { sealingKeysFor } from "../peers/sealing_keys.ts";
import { SEALED_MAX, SEALED_WORN, sealedBy } from "../protocol/sealing.ts";
import { openPage } from "./take_page.ts";

/** A step that was tried, and its result or what to do. */
export interface DiagnosedStep {
  readonly name: string;
  readonly isOk: boolean;
  /** Whether it succeeded and an operator should know of it nevertheless. */
  readonly isWarning?: boolean;
  readonly says: string;
}

/** Reports how this instance seals its pages for the peer, and how many items the key may still seal. */
export async function diagnoseSealing(ctx: OperationContext, peer: Peer): Promise<DiagnosedStep> {
  return await attempt("sealing", async () => {
    const keys = sealingKeysFor(ctx, peer);
    if (keys === undefined) {
      return "what it is served is plain text: SVC_FEDERATION_PRIVATE_KEY and SVC_FEDERATION_SYMMETRIC_KEY seal it";
    }
    const items = await sealedBy(ctx, keys.sealKey);
    if (items < SEALED_WORN) return `what it is served is sealed; the key has sealed ${items} of ${SEALED_MAX} items`;
    throw new ServiceError(
      "unavailable",
      `The key has sealed ${items} of ${SEALED_MAX} items: name another one, first as symmetricKeyNext in the entry over ` +
        "there, then as sealKey in the entry here",
    );
  });
}

/** Fetches one page and opens it, without storing anything. */
export async function diagnosePage(ctx: OperationContext, peer: Peer): Promise<DiagnosedStep> {
  return await attempt("page", async () => {
    if (!isReadable(peer)) return "not asked for: by its direction the peer is not read";
    const page = await askPage(ctx, peer, { limit: "1" });
    const { items } = await openPage(ctx, peer, page, peer.remoteWorkspaceId);
    const form = page.alg !== undefined ? "signed and sealed" : page.signature !== undefined ? "signed" : "plain text";
    return items === 0 ? `it has published nothing; the page is ${form}` : `one item was fetched and opened, ${form}`;
  });
}

/** Compares the roots of both digests. */
export async function diagnoseDigest(ctx: OperationContext, peer: Peer): Promise<DiagnosedStep> {
  return await attempt("digest", async () => {
    if (isAbroad(peer)) return "not compared: the peer is of another region";
    const side = sideOfPeer(ctx, peer);
    while (side.side === "held" && await publish(ctx)) ctx.signal.throwIfAborted();
    const { nodes: [theirs] } = await askDigest(ctx, peer, { side: side.side, prefix: [""], depth: "1" });
    const tree = await seeingAll(ctx).tx(async (tx) => new RangeTree(await readBuckets(tx, side)), { readOnly: true });
    const ours = tree.node("");
    if (theirs === undefined || "items" in theirs) {
      throw new ServiceError("conflict", "The peer's digest has no root: compare the builds of both sides");
    }
    if (theirs.digest === ours.digest) return `both sides have the same ${ours.count} items`;
    throw new ServiceError(
      "conflict",
      `The sides differ: ${ours.count} items here, ${theirs.count} there. Run \`svc federation sync ${peer.id} ` +
        "--reconcile --wait`, then this again; if they still differ, its result tells which items",
    );
  });
}

/** Runs a step and reports its result, or why it failed and what to do. @throws errors that are no fault of the exchange */
async function attempt(name: string, run: () => Promise<string>): Promise<DiagnosedStep> {
  try {
    return { name, isOk: true, says: await run() };
  } catch (error) {
    return { name, isOk: false, says: adviceOf(error) };
  }
}

function adviceOf(error: unknown): string {
  const event = eventOfFault(error);
  if (event?.kind === "failed" || event?.kind === "refused") return event.message;
  if (event?.kind === "throttled") {
    return `the peer asks to wait: try again in ${Math.ceil(event.retryAfterMs / 1_000)} s`;
  }
  if (!(error instanceof ServiceError)) throw error;
  const advice = ADVICE[error.code];
  return advice === undefined ? error.message : `${error.message}: ${advice}`;
}

const ADVICE: Readonly<Record<string, string>> = {
  federation_verify_failed:
    "ask its operator for its public key, and compare it with signingPublicKey in the entry here",
  federation_decrypt_failed: "symmetricKey in the entry here has to be the sealKey in the entry over there",
  wrong_region: "compare the region in both entries with SVC_REGION on both sides",
  validation_failed: "compare the builds of both sides",
};

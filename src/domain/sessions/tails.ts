/** Computes the features of a turn that depend on the earlier turns of its session. */
import type { OperationContext } from "../../context.ts";
import { listTurnsBefore } from "../../db/queries/recall.ts";
import type { Tx } from "../../db/tx.ts";
import { analyseText, PSEUDO_PREFIX, withPrevious } from "../../retrieval/mod.ts";
import { SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import { perService } from "../common/per_service.ts";
import type { PreparedText, TextFeatures } from "../unit/indexing.ts";

/** The data about the earlier turns of a session that the features of its next turn need. */
interface SessionTail {
  readonly nextPosition: number;
  readonly terms: Set<string>;
  readonly bits: number;
  readonly author: string | undefined;
}

/**
 * A cache of tails. An entry is valid only if its position fits; otherwise the session's turns are read again. The entries
 * are kept by clearance, because a turn is compared only with the earlier turns that its writer may see.
 */
const tailsOf = perService(() => new Map<string, SessionTail>());
const TAILS_MAX = 1_000;
/**
 * How many of a session's last turns are read if it is not in the cache. Older turns hardly change which terms are new.
 */
const TAIL_TURNS_MAX = 400;

/**
 * Completes the features of turns with those that depend on their session: how many of their terms are new in it, and the
 * features of the previous turn. The turns are passed in order, the first one at `nextPosition`.
 */
export async function linkTurns(
  ctx: OperationContext,
  tx: Tx,
  session: { readonly id: string; readonly nextPosition: number },
  turns: readonly PreparedText[],
): Promise<TextFeatures[]> {
  const tails = tailsOf(ctx.deps);
  const key = tailKey(tx, session.id, tx.maxSensitivity);
  const known = tails.get(key);
  tails.delete(key);
  const tail = known?.nextPosition === session.nextPosition ? known : await readTail(tx, session);
  let previous = session.nextPosition > 0 ? { bits: tail.bits, author: tail.author } : undefined;
  const features = turns.map((turn) => {
    const author = turn.speaker ?? turn.author;
    const bits = withPrevious(
      setFresh(turn.analysis.bits, addFresh(tail.terms, turn.analysis.terms)),
      previous && { bits: previous.bits, sameSpeaker: previous.author === author },
    );
    previous = { bits, author };
    return { bits };
  });
  keepTail(ctx, key, {
    nextPosition: session.nextPosition + turns.length,
    terms: tail.terms,
    bits: previous?.bits ?? 0,
    author: previous?.author,
  });
  return features;
}

/**
 * Whether this process has recently added turns to a session for callers of this clearance. The session was open then.
 */
export function isTailKnown(ctx: OperationContext, sessionId: string): boolean {
  return tailsOf(ctx.deps).has(tailKey(ctx, sessionId, ctx.maxSensitivity));
}

/** Caches the state of a session that this process has just started. */
export function beginTail(ctx: OperationContext, sessionId: string): void {
  keepTail(ctx, tailKey(ctx, sessionId, ctx.maxSensitivity), {
    nextPosition: 0,
    terms: new Set(),
    bits: 0,
    author: undefined,
  });
}

function keepTail(ctx: OperationContext, key: string, tail: SessionTail): void {
  const tails = tailsOf(ctx.deps);
  if (tails.size >= TAILS_MAX) tails.delete(tails.keys().next().value!);
  tails.set(key, tail);
}

/** Removes a session whose turns are erased from the cache. */
export function forgetTail(ctx: OperationContext, tx: Tx, sessionId: string): void {
  const tails = tailsOf(ctx.deps);
  for (const clearance of SENSITIVITIES) tails.delete(tailKey(tx, sessionId, clearance));
}

function tailKey(
  { workspaceId }: Pick<Tx, "workspaceId">,
  sessionId: string,
  clearance: Sensitivity,
): string {
  return `${workspaceId} ${clearance} ${sessionId}`;
}

async function readTail(tx: Tx, session: { readonly id: string; readonly nextPosition: number }): Promise<SessionTail> {
  const terms = new Set<string>();
  if (session.nextPosition === 0) return { nextPosition: 0, terms, bits: 0, author: undefined };
  const turns = await listTurnsBefore(tx, session.id, session.nextPosition, TAIL_TURNS_MAX);
  let bits = 0;
  for (const turn of turns) bits = analyseText(turn.content, terms).bits;
  return { nextPosition: session.nextPosition, terms, bits, author: turns.at(-1)?.author };
}

function addFresh(known: Set<string>, terms: readonly string[]): number {
  let fresh = 0;
  for (const term of terms) {
    if (term.startsWith(PSEUDO_PREFIX) || known.has(term)) continue;
    known.add(term);
    fresh++;
  }
  return fresh;
}

/** Stores the number of new terms in bits 20 to 27 of `DocBits`. */
function setFresh(bits: number, fresh: number): number {
  return bits & 0x700f_ffff | Math.min(255, fresh) << 20;
}

/** What a session's last turns say of its next one: the features of a turn that its own text does not tell. */
import type { OperationContext } from "../../context.ts";
import { listTurnsBefore } from "../../db/queries/recall.ts";
import type { Tx } from "../../db/tx.ts";
import { analyseText, PSEUDO_PREFIX, withPrevious } from "../../retrieval/mod.ts";
import { SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import { perService } from "../common/per_service.ts";
import type { PreparedText, TextFeatures } from "../unit/indexing.ts";

/** What the next turn of a session needs to know of those before it. */
interface SessionTail {
  readonly nextPosition: number;
  readonly terms: Set<string>;
  readonly bits: number;
  readonly author: string | undefined;
}

/**
 * A hint, checked by position: without it the session's turns are read again. By clearance: what a writer's turn adds is
 * told apart from the turns that the writer may see.
 */
const tailsOf = perService(() => new Map<string, SessionTail>());
const TAILS_MAX = 1_000;
/** So many turns of a session are read when it is not remembered; what is older hardly says what is new. */
const TAIL_TURNS_MAX = 400;

/**
 * Completes turns' features with what their session says: which of their terms are new in it, and what the turn before
 * does. Turns are given in order and follow each other from `nextPosition` on.
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
  if (tails.size >= TAILS_MAX) tails.delete(tails.keys().next().value!);
  tails.set(key, {
    nextPosition: session.nextPosition + turns.length,
    terms: tail.terms,
    bits: previous?.bits ?? 0,
    author: previous?.author,
  });
  return features;
}

/** Forgets the words of a session whose turns are erased. */
export function forgetTail(ctx: OperationContext, tx: Tx, sessionId: string): void {
  const tails = tailsOf(ctx.deps);
  for (const clearance of SENSITIVITIES) tails.delete(tailKey(tx, sessionId, clearance));
}

function tailKey(tx: Tx, sessionId: string, clearance: Sensitivity): string {
  return `${tx.workspaceId} ${clearance} ${sessionId}`;
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

/** Bits 20 to 27 of `DocBits`. */
function setFresh(bits: number, fresh: number): number {
  return bits & 0x000f_ffff | Math.min(255, fresh) << 20;
}

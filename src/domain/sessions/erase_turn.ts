/** Erases what one turn says. */
import type { OperationContext } from "../../context.ts";
import * as deletionLog from "../../db/queries/deletion_log.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import { deleteNewerLinks } from "../../db/queries/newer_links.ts";
import { addCorpusSize } from "../../db/queries/postings.ts";
import { eraseRecalls } from "../../db/queries/recall_diary.ts";
import * as sessions from "../../db/queries/sessions.ts";
import * as queries from "../../db/queries/turns.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { isUuid } from "../../crypto/ids.ts";
import { KINDS } from "../../schema/common.ts";
import type { ErasedTurn } from "../../schema/turn.ts";
import { countTokens } from "../common/tokens.ts";
import { toTurn } from "../common/turn.ts";
import { eraseOrphans, signReceipt } from "../unit/erase.ts";
import { eraseQuotes } from "../unit/erase_quotes.ts";
import { PURGE_DEADLINE_MS, purgeUnits } from "../unit/purge.ts";
import { reviseUnits } from "../unit/store.ts";
import { unindexTexts } from "../unit/unindexing.ts";
import { recordTurn } from "./append_turns.ts";
import { requireSession } from "./session.ts";
import { forgetTail } from "./tails.ts";

/**
 * Erases the content of a turn for ever: text, tags, metadata, index, embedding, kept replies, and quotes of it. The turn
 * stays as a place in its session. Facts that cite it become stale; with `cascade`, those that cite nothing else are
 * erased. A turn that was erased before is returned as it is.
 * @throws ServiceError `not_found`; as `purgeUnits` does
 */
export async function eraseTurn(
  ctx: OperationContext,
  sessionId: string,
  messageId: string,
  { cascade = false }: { readonly cascade?: boolean | undefined } = {},
): Promise<ErasedTurn> {
  return await ctx.tx(async (tx) => {
    const session = requireSession(await sessions.lockSession(tx, sessionId));
    const turn = (await queries.findTurnsByMessage(tx, sessionId, [messageId]))[0] ??
      (isUuid(messageId) ? await queries.findTurn(tx, sessionId, messageId) : undefined);
    if (turn === undefined) throw new ServiceError("not_found", "Cannot find the turn in this session");
    if (turn.erasedAt) return { turn: toTurn(turn), receipt: null, erased: [], stale: [] };
    const { erased, stale } = await settleCiting(ctx, tx, session, turn, cascade);
    await eraseTraces(ctx, tx, turn);
    await deleteNewerLinks(tx, "turn", [turn.id]);
    const row = await queries.eraseTurn(tx, turn.id);
    await sessions.addToSession(tx, sessionId, { turns: 0, tokens: -countTokens(turn.content), participants: [] });
    recordTurn(tx, "turn.deleted", row);
    const receipt = await logErasure(ctx, tx, turn, stale.length);
    const name = ({ id, type }: UnitRow<object>) => ({ id, type });
    return { turn: toTurn(row), receipt, erased: erased.map(name), stale: stale.map(name) };
  }, { deadlineMs: PURGE_DEADLINE_MS });
}

/** Erases the units that rest on the turn alone, or marks those that rest on it as stale and takes their quotes away. */
async function settleCiting(
  ctx: OperationContext,
  tx: Tx,
  { id: sessionId, episodeId }: sessions.SessionRow,
  turn: queries.TurnRow,
  cascade: boolean,
): Promise<{ readonly erased: readonly UnitRow<object>[]; readonly stale: readonly UnitRow<object>[] }> {
  const citing = await queries.listCiting(tx, sessionId, turn.messageId);
  const episode = episodeId === null ? [] : [episodeId];
  const only = citing.flatMap(({ id, isOnly }) => isOnly ? [id] : []);
  const doomed = cascade ? [...only, ...episode] : [];
  const erased = await purgeUnits(ctx, tx, doomed, `came from turn ${turn.id}`);
  const gone = new Set(erased.map(({ id }) => id));
  const left = [...citing.map(({ id }) => id), ...episode].filter((id) => !gone.has(id));
  const units = left.length === 0 ? [] : await findUnits<object>(tx, left, { lock: "update" });
  const note = { event: "stale", reason: `turn ${turn.id}, which it cites, was erased` };
  const stale = await reviseUnits(
    tx,
    units.map((unit) => ({
      unit,
      changes: { stale: true, body: withoutQuotes(unit.body, sessionId, turn.messageId) },
      note,
    })),
  );
  await queries.eraseQuotesIn(tx, left, sessionId, turn.messageId);
  for (const { id } of stale) await eraseReplies(tx, id);
  return { erased, stale };
}

interface Cited {
  readonly messageId: string;
  readonly sessionId?: string;
  readonly quote?: string;
}

function withoutQuotes(body: object, sessionId: string, messageId: string): object {
  const { citations } = body as { readonly citations?: readonly Cited[] };
  if (citations === undefined) return body;
  return {
    ...body,
    citations: citations.map(({ quote, ...cited }) =>
      cited.messageId === messageId && cited.sessionId === sessionId ? cited : { ...cited, ...(quote && { quote }) }
    ),
  };
}

async function eraseTraces(ctx: OperationContext, tx: Tx, turn: queries.TurnRow): Promise<void> {
  const { id, docNo, sensitivity, content: text } = turn;
  forgetTail(ctx, tx, turn.sessionId);
  await eraseReplies(tx, turn.sessionId);
  await eraseReplies(tx, id);
  await eraseRecalls(tx, [{ id, text }]);
  await eraseQuotes(tx, id, text.trim() === "" ? [] : [text]);
  const orphans = await unindexTexts(tx, [{ docNo, kind: "turn", sensitivity, text }]);
  // The turn stays a text of the session, if an empty one.
  await addCorpusSize(tx, { kind: KINDS.turn, sensitivity }, { docs: 1, tokens: 0, groups: 0 });
  await eraseOrphans(ctx, tx, orphans);
}

async function logErasure(ctx: OperationContext, tx: Tx, turn: queries.TurnRow, staleDependants: number) {
  const instance = ctx.deps.config.instanceId;
  const receipt = signReceipt(ctx, {
    id: turn.id,
    resourceType: "turn",
    erasedAt: tx.now.toISOString(),
    erasedBy: tx.actor,
    reason: null,
    removed: { revisions: 0, texts: 1, reviewItems: 0, relations: 0 },
    staleDependants,
    moreDependants: false,
    instance,
  });
  const { id: resourceId, sensitivity } = turn;
  await deletionLog.insertDeletion(tx, {
    resourceId,
    resourceType: "turn",
    originInstance: instance,
    sensitivity,
    receipt,
  });
  return receipt;
}

/** A turn or unit in the memory of the process, as its row holds it, and the filters of a request over it. */
import type { HotRow } from "../../../db/queries/hot.ts";
import { addAliases, type AnalysedText, analyseText, type DocumentTimes } from "../../../retrieval/mod.ts";
import { isCleared, type Kind, type Sensitivity } from "../../../schema/common.ts";
import type { RecallResult } from "../../../schema/recall.ts";
import type { UnitType } from "../../../schema/unit.ts";
import { countTokens } from "../../common/tokens.ts";
import { indexedBeside } from "../../unit/aliases.ts";
import type { Spoken } from "../../unit/slots.ts";
import type { KnownUnit } from "../search/current_first.ts";
import { type FilterDocument, matchesFilter, toNormalForm } from "../search/filters.ts";
import type { RecallRequest } from "../search/request.ts";
import { toResult } from "../search/results.ts";

/** The triple of a unit that has subject, predicate and object. */
export type HotSpoken = Spoken & { readonly docNo: number; readonly tripleKey: string };

/** Estimated bytes of a triple. */
const SPOKEN_BYTES = 500;

/** A text in the hot tier. Values that only a few results of a search need are computed when they are first read. */
export class HotDocument {
  /** Set for a unit with subject, predicate and object. */
  readonly spoken: HotSpoken | undefined;
  readonly times: DocumentTimes;
  #result: RecallResult | undefined;
  #tokens = -1;

  /** @param bits the features of the text (`DocBits`), and those of the turn before it */
  constructor(readonly row: HotRow, readonly bits: number) {
    this.times = timesOf(row);
    this.spoken = row.tripleKey === null ? undefined : { ...row, tripleKey: row.tripleKey, body: row.body ?? {} };
  }

  get docNo(): number {
    return this.row.docNo;
  }

  get tripleKey(): string | null {
    return this.row.tripleKey;
  }

  get result(): RecallResult {
    return this.#result ??= toResult({ ...this.row, citations: this.#citations });
  }

  get tokens(): number {
    if (this.#tokens < 0) this.#tokens = countTokens(this.row.text);
    return this.#tokens;
  }

  /** Estimated bytes of text and triple; text with a character beyond Latin-1 takes two bytes each. */
  get textBytes(): number {
    const { text } = this.row;
    // deno-lint-ignore no-control-regex
    return text.length * (/[^\x00-\xff]/.test(text) ? 2 : 1) + (this.spoken === undefined ? 0 : SPOKEN_BYTES);
  }

  get validFromMs(): number {
    return this.row.validFrom?.getTime() ?? -Infinity;
  }

  /** When the document stops counting: at the end of its validity or at its expiry, whichever is earlier. */
  get endsMs(): number {
    const { validTo, expiresAt } = this.row;
    return Math.min(validTo?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity);
  }

  /** The columns that its order depends on; undefined for a turn. */
  get unit(): KnownUnit | undefined {
    if (this.row.type === "turn") return undefined;
    const { status, trustScore, recordedAt, body } = this.row;
    const claims = (body?.["claims"] ?? []) as readonly { readonly polarity: boolean }[];
    return { status, trustScore, denies: claims.length > 0 && claims.every(({ polarity }) => !polarity), recordedAt };
  }

  /** The times to compare if the query names a date. */
  timesBy(byRecording: boolean): DocumentTimes {
    if (!byRecording || this.row.type === "turn") return this.times;
    return { occurredAt: this.row.recordedAt.getTime(), validFrom: undefined, validTo: undefined };
  }

  get #citations(): RecallResult["citations"] | null {
    return (this.row.body?.["citations"] ?? null) as RecallResult["citations"] | null;
  }

  get #sessionIds(): readonly string[] {
    const cited = (this.#citations ?? []).map(({ sessionId }) => sessionId);
    return [this.row.sessionId, ...cited].filter((id) => id != null);
  }

  /** Whether it passes the request's filters, which are those of the database's recall, on the present state. */
  passes({ kinds, rows, filters, maxSensitivity }: RecallRequest): boolean {
    const { row } = this;
    if (!kinds.includes(row.type as Kind) || isAhead(this.validFromMs, rows) || this.endsMs <= rows.asOf.getTime()) {
      return false;
    }
    if (!isCleared(row.sensitivity as Sensitivity, maxSensitivity)) return false;
    if (rows.sessionId !== null && !this.#sessionIds.includes(rows.sessionId)) return false;
    if (rows.from !== null && rows.to !== null && !isInWindow(row, rows.from, rows.to)) return false;
    if (rows.minTrust !== null && row.trustScore < rows.minTrust) return false;
    if (rows.tags !== null) {
      // As `hasTags` of the database.
      const has = (tag: string) => row.tags.some((own) => own.normalize("NFC") === tag);
      if (!(rows.tagsAll ? rows.tags.every(has) : rows.tags.some(has))) return false;
    }
    if (filters === undefined) return true;
    const read = this.#toFilterDocument();
    return matchesFilter(filters, rows.predicate?.isNormal ? toNormalForm(read) : read);
  }

  /** The document that filters read, as the database would build it. */
  #toFilterDocument(): FilterDocument {
    const { row } = this, iso = (time: Date | null) => time?.toISOString() ?? null;
    const { type, status, attribution, trustScore, sensitivity, pinned, stale, tags, metadata, entityIds } = row;
    const common = {
      ...{ type, status, attribution, trustScore, sensitivity, pinned, stale, tags, metadata, entityIds },
      occurredAt: iso(row.occurredAt),
      createdAt: iso(row.createdAt),
    };
    if (type === "turn") {
      const { sessionId, messageId, role, name } = row;
      return { ...common, sessionId, messageId, role, name };
    }
    const { factType, subject, predicate, object } = row.body ?? {};
    const { confidence, worth, createdBy } = row;
    return {
      ...common,
      ...{ confidence, worth, createdBy, factType, subject, predicate, object },
      validFrom: iso(row.validFrom),
      validTo: iso(row.validTo),
      updatedAt: iso(row.updatedAt),
      sessionId: this.#sessionIds,
      messageId: (this.#citations ?? []).map(({ messageId }) => messageId),
    };
  }
}

/** The terms of a turn or unit, with those of the names that are indexed beside its text. */
export function analyseRow({ type, text, body }: Pick<HotRow, "type" | "text" | "body">): AnalysedText {
  return addAliases(analyseText(text), type === "turn" ? [] : indexedBeside(type as UnitType, body ?? {}));
}

/** The times of a row; a unit without a stated beginning that replaced another got one from the service. */
function timesOf({ occurredAt, validFrom, validTo, recordedAt }: HotRow): DocumentTimes {
  return {
    occurredAt: occurredAt?.getTime(),
    validFrom: validFrom?.getTime() === recordedAt.getTime() ? undefined : validFrom?.getTime(),
    validTo: validTo?.getTime(),
  };
}

/** Whether validity begins only after the time that the request asks about. */
export function isAhead(validFromMs: number, { asOf, until }: RecallRequest["rows"]): boolean {
  return validFromMs > asOf.getTime() && (until === null || validFromMs >= until.getTime());
}

/**
 * Whether a text falls in the caller's window: it happened in it, or holds at some time in it. The database's
 * `isUnitInWindow` decides the same.
 */
function isInWindow({ occurredAt, validFrom, validTo, recordedAt }: HotRow, from: Date, to: Date): boolean {
  const isIn = (time: Date) => time >= from && time < to;
  if (occurredAt !== null && isIn(occurredAt)) return true;
  if (validFrom === null && validTo === null) return occurredAt === null && isIn(recordedAt);
  return (validFrom === null || validFrom < to) &&
    (validTo === null || validTo > from || (validFrom !== null && validFrom >= from));
}

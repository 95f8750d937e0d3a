/** A turn or unit in the memory of the process, as its row holds it. */
import type { HotRow } from "../../db/queries/hot.ts";
import type { DocumentTimes } from "../../retrieval/mod.ts";
import type { Kind } from "../../schema/common.ts";
import type { RecallResult } from "../../schema/recall.ts";
import { countTokens } from "../common/tokens.ts";
import type { Spoken } from "../unit/respects.ts";
import { toResult } from "./results.ts";

/** A text in the hot tier. Values that only a few results of a search need are computed when they are first read. */
export class HotDocument {
  readonly row: HotRow;
  /** The features of the text (`DocBits`), and those of the turn before it. */
  readonly bits: number;
  readonly times: DocumentTimes;
  /** Set for a unit with subject, predicate and object. */
  readonly spoken: HotSpoken | undefined;
  #result: RecallResult | undefined;
  #tokens = -1;

  constructor(row: HotRow, bits: number) {
    this.row = row;
    this.bits = bits;
    this.times = timesOf(row);
    this.spoken = row.tripleKey === null ? undefined : { ...row, tripleKey: row.tripleKey, body: row.body ?? {} };
  }

  get docNo(): number {
    return this.row.docNo;
  }

  get tripleKey(): string | null {
    return this.row.tripleKey;
  }

  get kind(): Kind {
    return this.row.type as Kind;
  }

  get result(): RecallResult {
    const citations = citationsOf(this.row);
    return this.#result ??= toResult({ ...this.row, citations });
  }

  get tokens(): number {
    if (this.#tokens < 0) this.#tokens = countTokens(this.row.text);
    return this.#tokens;
  }

  get validFromMs(): number {
    return this.row.validFrom?.getTime() ?? -Infinity;
  }

  /** When the document stops counting: at the end of its validity or at its expiry, whichever is earlier. */
  get endsMs(): number {
    const { validTo, expiresAt } = this.row;
    return Math.min(validTo?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity);
  }

  get sessionIds(): readonly string[] {
    const cited = (citationsOf(this.row) ?? []).map(({ sessionId }) => sessionId);
    return [this.row.sessionId, ...cited].filter((id) => id != null);
  }
}

function citationsOf({ body }: HotRow): RecallResult["citations"] | null {
  return (body?.["citations"] ?? null) as RecallResult["citations"] | null;
}

/** The triple of a unit that has subject, predicate and object. */
export type HotSpoken = Spoken & { readonly docNo: number; readonly tripleKey: string };

/** The times of a row; a unit without a stated beginning that replaced another got one from the service. */
function timesOf({ occurredAt, validFrom, validTo, recordedAt }: HotRow): DocumentTimes {
  return {
    occurredAt: occurredAt?.getTime(),
    validFrom: validFrom?.getTime() === recordedAt.getTime() ? undefined : validFrom?.getTime(),
    validTo: validTo?.getTime(),
  };
}

/** Estimated bytes of a triple. */
const SPOKEN_BYTES = 500;

/** Estimated bytes of a document's text and triple; text with a character beyond Latin-1 takes two bytes each. */
export function textBytesOf({ row: { text }, spoken }: HotDocument): number {
  // deno-lint-ignore no-control-regex
  return text.length * (/[^\x00-\xff]/.test(text) ? 2 : 1) + (spoken === undefined ? 0 : SPOKEN_BYTES);
}

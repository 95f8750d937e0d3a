/** Entries that this instance publishes: their place in the digest and in the order of publication. */
import { itemKey, itemLeaf } from "../../crypto/range_tree.ts";
import type { PublicationCursor, VersionRow } from "../../db/queries/federation_versions.ts";
import { SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import { type ItemName, type ItemType, toWireType, VERSION_MAX, writeReference } from "../../schema/federation_item.ts";
import { hashItem } from "./shared_form.ts";

/** What an entry adds to the digest. */
export function digestMembers(
  { origin, type, version, hash }: Pick<VersionRow, "origin" | "type" | "version" | "hash">,
): Pick<VersionRow, "key" | "leaf" | "withdrawnLeaf"> {
  const reference = writeReference(origin);
  const withdrawn = hashItem(toWireType(type, false), origin, null, true);
  return {
    key: itemKey(reference),
    leaf: itemLeaf(reference, version, hash),
    withdrawnLeaf: itemLeaf(reference, version, withdrawn),
  };
}

/** What an own version says, beside what follows from that. */
export interface OwnWord {
  readonly writer: string;
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly updatedAt: Date;
  readonly hash: string;
  /** Of each other writer, the last version that it is made with knowledge of. */
  readonly seen: Readonly<Record<string, number>>;
  readonly affirms: VersionRow["affirms"];
  readonly isDeleted: boolean;
  readonly sensitivity: Sensitivity;
  readonly unitId: string;
  readonly unitVersion: number | null;
}

/**
 * The next entry of this instance about an item: one version above everything that is known of it.
 * @param known all entries of the item
 * @param seq its place in the order of publication, which the caller takes from `federation_cursor`
 * @param now when it is published
 */
export function nextOwnVersion(word: OwnWord, known: readonly VersionRow[], seq: number, now: Date): VersionRow {
  const own = known.find(({ writer }) => writer === word.writer);
  const { [word.writer]: _itself, ...seen } = word.seen;
  const highest = known.reduce((most, { version }) => Math.max(most, version), 0);
  const version = Math.min(VERSION_MAX, highest + 1);
  return {
    ...word,
    version,
    seen,
    isWithdrawn: false,
    leastSensitivity: own === undefined ? word.sensitivity : lower(own.leastSensitivity, word.sensitivity),
    seq,
    ...digestMembers({ ...word, version }),
    verdict: "own",
    receivedAt: now,
  };
}

function lower(a: Sensitivity, b: Sensitivity): Sensitivity {
  return SENSITIVITIES.indexOf(a) < SENSITIVITIES.indexOf(b) ? a : b;
}

/** Takes the next place in the order of publication. */
export class Places {
  #next: number;

  constructor(readonly cursor: PublicationCursor) {
    this.#next = cursor.nextSeq;
  }

  take(): number {
    return this.#next++;
  }

  /** The cursor after all that was taken. */
  get after(): PublicationCursor {
    return { ...this.cursor, nextSeq: this.#next };
  }
}

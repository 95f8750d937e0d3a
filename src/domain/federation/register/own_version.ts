/**
 * Makes the entries that this instance publishes, with their leaves in the digest and places in the order of
 * publication.
 */
import { itemKey, itemLeaf } from "../../../crypto/range_tree.ts";
import type { PublicationCursor } from "../../../db/queries/federation_publication.ts";
import { findPublishedAt, type VersionRow } from "../../../db/queries/federation_versions.ts";
import type { Tx } from "../../../db/tx.ts";
import { SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import {
  type ItemName,
  type ItemType,
  toWireType,
  VERSION_MAX,
  writeReference,
} from "../../../schema/federation_item.ts";
import { hashItem } from "./shared_form.ts";

/** Returns the key and the leaves of an entry in the digest. */
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

/** A version that this instance is about to publish, without the members that follow from the others. */
export interface OwnWord {
  readonly writer: string;
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly updatedAt: Date;
  readonly hash: string;
  /** For each other writer, its latest version that this version's author knew. */
  readonly seen: Readonly<Record<string, number>>;
  readonly affirms: VersionRow["affirms"];
  readonly isDeleted: boolean;
  readonly sensitivity: Sensitivity;
  readonly unitId: string;
  readonly unitVersion: number | null;
}

/**
 * Makes this instance's next entry for an item; its version is one higher than every known version.
 * @param known all entries of the item
 * @param place its place in the order of publication, which the caller takes from `federation_cursor`
 */
export function nextOwnVersion(word: OwnWord, known: readonly VersionRow[], place: PublicationPlace): VersionRow {
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
    ...place,
    ...digestMembers({ ...word, version }),
    verdict: "own",
  };
}

function lower(a: Sensitivity, b: Sensitivity): Sensitivity {
  return SENSITIVITIES.indexOf(a) < SENSITIVITIES.indexOf(b) ? a : b;
}

/** A place in the order of publication, and the time at which it was taken. */
export interface PublicationPlace {
  readonly seq: number;
  /** Never earlier than the time of an earlier place, whatever the clocks say. */
  readonly receivedAt: Date;
}

/** Hands out the next places in the order of publication. The caller's transaction holds its lock. */
export class PublicationPlaces {
  #next: number;

  private constructor(readonly cursor: PublicationCursor, readonly takenAt: Date) {
    this.#next = cursor.nextSeq;
  }

  static async open(tx: Tx, cursor: PublicationCursor): Promise<PublicationPlaces> {
    const last = await findPublishedAt(tx, cursor.nextSeq);
    return new PublicationPlaces(cursor, last !== undefined && last > tx.now ? last : tx.now);
  }

  take(): PublicationPlace {
    return { seq: this.#next++, receivedAt: this.takenAt };
  }

  /** The cursor after all places that were taken. */
  get after(): PublicationCursor {
    return { ...this.cursor, nextSeq: this.#next };
  }
}

/**
 * Versions of an item as instances publish them, and how two versions relate: which one was made with knowledge of the
 * other, and in which order all instances sort them. Pure.
 */

/** A version vector: for each writer, the latest known version of the item. */
export type Seen = Readonly<Record<string, number>>;

/** The latest version of an item that one instance published: an entry of the register. */
export interface VersionEntry {
  /** The instance that published it. */
  readonly writer: string;
  /** Starts at 1; one more than the highest version of the item that the writer knew. */
  readonly version: number;
  /** When the content changed, by the writer's clock. A time in the future is replaced by the time of receipt. */
  readonly updatedAt: Date;
  /** Lower-case hex SHA-256 of the item's shared form. */
  readonly hash: string;
  /** For each other writer, its latest version that the author of this one knew. */
  readonly seen: Seen;
  /** Whether by policy the writer kept its own content, or took another's; null if somebody wrote the content. */
  readonly affirms: "kept" | "taken" | null;
  /** Whether the writer erased the item. */
  readonly isDeleted: boolean;
}

/**
 * Compares two versions for sorting: by version, time, writer, hash. Texts are compared by code units, so that the
 * order is the same on all instances.
 */
export function compareVersions(a: VersionEntry, b: VersionEntry): number {
  return a.version - b.version || a.updatedAt.getTime() - b.updatedAt.getTime() ||
    compareTexts(a.writer, b.writer) || compareTexts(a.hash, b.hash);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the known version of a writer; 0 if none is known. */
export function seenOf(seen: Seen, writer: string): number {
  return Object.hasOwn(seen, writer) ? seen[writer]! : 0;
}

/** Merges version vectors: takes the later version of each writer. */
export function mergeSeen(...all: readonly Seen[]): Seen {
  const merged = new Map<string, number>();
  for (const seen of all) {
    for (const [writer, version] of Object.entries(seen)) {
      merged.set(writer, Math.max(merged.get(writer) ?? 0, version));
    }
  }
  return Object.fromEntries(merged);
}

/** Returns the versions that a version's author knew, and the version itself. */
export function withItself({ seen, writer, version }: VersionEntry): Seen {
  return mergeSeen(seen, { [writer]: version });
}

/** Whether a version was made with knowledge of another one, and so is later, not concurrent. */
export function covers(later: VersionEntry, { writer, version }: Pick<VersionEntry, "writer" | "version">): boolean {
  return later.writer === writer ? later.version > version : seenOf(later.seen, writer) >= version;
}

/** Returns the heads: the versions that no other version covers, the lowest first. Erased ones are left out. */
export function headsOf<Entry extends VersionEntry>(entries: readonly Entry[]): Entry[] {
  const live = entries.filter(({ isDeleted }) => !isDeleted);
  return live.filter((entry) => !live.some((other) => other !== entry && covers(other, entry))).sort(compareVersions);
}

/** Returns the highest version that anybody published of an item; 0 for an item without entries. */
export function highestVersion(entries: readonly VersionEntry[]): number {
  return entries.reduce((highest, { version }) => Math.max(highest, version), 0);
}

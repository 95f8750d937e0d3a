/**
 * Versions of an item as instances publish them, and how two of them relate: which one was made with knowledge of the
 * other, and the order in which they stand for everybody who compares them. Pure.
 */

/** Of each instance, the last version of the item that is known. */
export type Seen = Readonly<Record<string, number>>;

/** What one instance last published about an item: its entry in the register. */
export interface VersionEntry {
  /** The instance that published it. */
  readonly writer: string;
  /** From 1; one more than the highest version of the item that the writer knew. */
  readonly version: number;
  /** When the writer's content became what it is; one of the future counts as the time of receipt. */
  readonly updatedAt: Date;
  /** Lower-case hex SHA-256 of the item's shared form. */
  readonly hash: string;
  /** Of each other writer, the last version that this one was made with knowledge of. */
  readonly seen: Seen;
  /** What the writer settled on by policy: its own content, or another's; null for what somebody said. */
  readonly affirms: "kept" | "taken" | null;
  /** True: the writer erased the item. */
  readonly isDeleted: boolean;
}

/**
 * The order of two versions, as a comparator: by version, time, writer, hash. Texts are compared by code units, so that it
 * is the same on all instances.
 */
export function compareVersions(a: VersionEntry, b: VersionEntry): number {
  return a.version - b.version || a.updatedAt.getTime() - b.updatedAt.getTime() ||
    compareTexts(a.writer, b.writer) || compareTexts(a.hash, b.hash);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The version of a writer that is known; 0 where none is. */
export function seenOf(seen: Seen, writer: string): number {
  return Object.hasOwn(seen, writer) ? seen[writer]! : 0;
}

/** Of each writer the later version. */
export function mergeSeen(...all: readonly Seen[]): Seen {
  const merged = new Map<string, number>();
  for (const seen of all) {
    for (const [writer, version] of Object.entries(seen)) {
      merged.set(writer, Math.max(merged.get(writer) ?? 0, version));
    }
  }
  return Object.fromEntries(merged);
}

/** What was known when the version was made, and the version itself. */
export function withItself({ seen, writer, version }: VersionEntry): Seen {
  return mergeSeen(seen, { [writer]: version });
}

/** Whether the version was made with knowledge of another one: it is later, not concurrent. */
export function covers(later: VersionEntry, { writer, version }: Pick<VersionEntry, "writer" | "version">): boolean {
  return later.writer === writer ? later.version > version : seenOf(later.seen, writer) >= version;
}

/** Versions that no other one was made with knowledge of, the lowest first. Erased ones are left out. */
export function headsOf<Entry extends VersionEntry>(entries: readonly Entry[]): Entry[] {
  const live = entries.filter(({ isDeleted }) => !isDeleted);
  return live.filter((entry) => !live.some((other) => other !== entry && covers(other, entry))).sort(compareVersions);
}

/** The highest version of an item that anybody published; 0 for an item without entries. */
export function highestVersion(entries: readonly VersionEntry[]): number {
  return entries.reduce((highest, { version }) => Math.max(highest, version), 0);
}

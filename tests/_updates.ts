/**
 * The pairs of statements in `tests/data/updates`: knowledge that has changed, and knowledge that only seems changed.
 */

/** An older statement, a newer one that replaces it, and a question whose answer is in the newer one. */
export interface UpdatePair {
  readonly id: string;
  readonly respect: string;
  readonly older: string;
  readonly newer: string;
  readonly question: string;
  /** Words that only the newer statement has. */
  readonly current: string;
  /** Words that only the older statement has. */
  readonly outdated: string;
}

/** Two statements that can hold at the same time, however similar they are; `kind` says why. */
export interface CompatiblePair {
  readonly id: string;
  readonly kind: string;
  readonly older: string;
  readonly newer: string;
}

/**
 * A pair of the second tables, whose newer statement says that something has changed, or plainly states the present.
 */
export interface ToldPair {
  readonly id: string;
  readonly respect: string;
  readonly told: "change" | "plain";
  readonly older: string;
  readonly newer: string;
}

const FOLDER = new URL("./data/updates/", import.meta.url);

/** The two halves: rules are made on one, and their score is reported for the other. */
export type Half = "tuning" | "held";

/** The half of a pair, by a hash of its id (FNV-1a, 32 bits). */
export function halfOf(id: string): Half {
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return (hash >>> 7) % 2 === 0 ? "tuning" : "held";
}

/** Reads a table: a line of names, then a line for each pair, with bars between the cells. */
async function readTable<T>(name: string): Promise<T[]> {
  const [header, ...lines] = (await Deno.readTextFile(new URL(name, FOLDER))).trim().split("\n");
  const names = header!.split("|");
  return lines.map((line) => {
    const cells = line.split("|");
    if (cells.length !== names.length) throw new Error(`${name}: a line has ${cells.length} cells: ${line}`);
    return Object.fromEntries(names.map((key, i) => [key, cells[i]!])) as T;
  });
}

export function readUpdates(): Promise<UpdatePair[]> {
  return readTable("updates.psv");
}

export function readCompatible(): Promise<CompatiblePair[]> {
  return readTable("compatible.psv");
}

export function readToldUpdates(): Promise<ToldPair[]> {
  return readTable("told_updates.psv");
}

export function readToldCompatible(): Promise<CompatiblePair[]> {
  return readTable("told_compatible.psv");
}

/** A pair of the third tables, which also has a question. */
export interface FurtherPair extends ToldPair {
  readonly question: string;
}

export function readFurtherUpdates(): Promise<FurtherPair[]> {
  return readTable("more_updates.psv");
}

export function readFurtherCompatible(): Promise<CompatiblePair[]> {
  return readTable("more_compatible.psv");
}

/** Reads pairs of chat turns with an assistant; the newer one mentions an update in passing. */
export function readChatUpdates(): Promise<UpdatePair[]> {
  return readTable("chat_updates.psv");
}

/** Reads pairs of chat turns with an assistant; the newer one only seems to mention an update. */
export function readChatCompatible(): Promise<CompatiblePair[]> {
  return readTable("chat_compatible.psv");
}

/** A pair of turns of the further chat tables; rules are made from all of these. */
export type ChatPair = Pick<UpdatePair, "id" | "older" | "newer">;

export function readFurtherChatUpdates(): Promise<ChatPair[]> {
  return readTable("chat_more_updates.psv");
}

export function readFurtherChatCompatible(): Promise<ChatPair[]> {
  return readTable("chat_more_compatible.psv");
}

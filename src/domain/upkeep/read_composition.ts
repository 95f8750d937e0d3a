/** Counts the present composition of a workspace. */
import type { OperationContext } from "../../context.ts";
import { allowLongStatements } from "../../db/long_statements.ts";
import * as queries from "../../db/queries/snapshots.ts";
import type { Tx } from "../../db/tx.ts";
import { Slices } from "../../pause.ts";
import { analyseText, PSEUDO_PREFIX } from "../../retrieval/mod.ts";
import { isCleared, SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import { type Centroid, CENTROID_TEXTS_MIN, countWords, type Part } from "./composition.ts";

/** The vocabulary and the centroid are computed from at most this many units. */
const SAMPLE_MAX = 1_000;
/** The longest time that counting a large workspace may take. */
export const COUNT_MS_MAX = 120_000;
const READ_ONLY = { readOnly: true };

/** the present composition of the workspace, as far as the context's clearance sees; one part for each sensitivity. */
export async function readComposition(ctx: OperationContext): Promise<Part[]> {
  const { model, current } = ctx.deps.embeddings;
  const seen = await ctx.tx(async (tx) => {
    await allowLongStatements(tx, COUNT_MS_MAX);
    const units = await queries.countUnits(tx);
    const others = await queries.countOthers(tx, current);
    const sample = await queries.sampleUnits(tx, SAMPLE_MAX);
    const centroids = await readCentroids(tx, model, tx.now);
    return { units, others, sample, centroids };
  }, { ...READ_ONLY, deadlineMs: COUNT_MS_MAX });
  const parts = SENSITIVITIES.filter((sensitivity) => isCleared(sensitivity, ctx.maxSensitivity))
    .map((sensitivity) => toPart(sensitivity, seen));
  const slices = new Slices(ctx.signal);
  const words: { readonly sensitivity: Sensitivity; readonly words: Set<string> }[] = [];
  for (const { sensitivity, text } of seen.sample) {
    await slices.yieldIfDue();
    words.push({ sensitivity, words: wordsOf(text) });
  }
  const counts = new Map(parts.map(({ sensitivity }) => [
    sensitivity,
    countWords(words.filter((unit) => unit.sensitivity === sensitivity).map((unit) => unit.words)),
  ]));
  const wanted = new Set([...counts.values()].flatMap((list) => list.map(([word]) => word)));
  const rows = await ctx.tx((tx) => queries.readTokens(tx, [...wanted]), READ_ONLY);
  const tokens = new Map(rows.map(({ sensitivity, word, token }) => [`${sensitivity} ${word}`, token]));
  return parts.map((part) => ({
    ...part,
    // A word that was erased since the texts were read no longer has a token, and is left out.
    words: Object.fromEntries(
      counts.get(part.sensitivity)!.flatMap(([word, texts]) => {
        const token = tokens.get(`${part.sensitivity} ${word}`);
        return token === undefined ? [] : [[token, texts]];
      }),
    ),
  }));
}

export type Centroids = ReadonlyMap<Sensitivity, Centroid>;

/**
 * The centroids of the latest texts in force at a moment, by sensitivity. They are never stored: the difference of two
 * would be one text's vector, from which its words can be guessed. Texts that were erased since are missing.
 */
export async function readCentroids(tx: Tx, model: string, at: Date): Promise<Centroids> {
  const rows = await queries.sumVectors(tx, model, { at, limit: SAMPLE_MAX });
  return new Map(
    rows.filter((row) => row.texts >= CENTROID_TEXTS_MIN).map(({ sensitivity, texts, sum }) => [
      sensitivity,
      { texts, sum: JSON.parse(sum) as number[] },
    ]),
  );
}

interface Seen {
  readonly units: readonly queries.UnitCountRow[];
  readonly others: readonly queries.OtherCountRow[];
  readonly sample: readonly { readonly sensitivity: Sensitivity; readonly text: string }[];
  readonly centroids: Centroids;
}

function toPart(sensitivity: Sensitivity, seen: Seen): Omit<Part, "words"> {
  const rows = seen.units.filter((row) => row.sensitivity === sensitivity);
  const inForce = rows.filter((row) => row.inForce);
  const other = (name: queries.OtherCountRow["name"]) =>
    seen.others.filter((row) => row.sensitivity === sensitivity && row.name === name).reduce(
      (sum, row) => sum + row.n,
      0,
    );
  const texts = seen.sample.filter((unit) => unit.sensitivity === sensitivity);
  return {
    sensitivity,
    types: tally(inForce, (row) => row.type),
    attributions: tally(inForce, (row) => row.attribution),
    worth: Array.from({ length: 10 }, (_, tenth) => sumOf(inForce.filter((row) => row.tenth === tenth))),
    statuses: tally(rows, (row) => row.status),
    liveFacts: sumOf(inForce.filter((row) => row.type === "fact")),
    pinned: sumOf(inForce.filter((row) => row.pinned)) + other("pinnedTurns"),
    turns: other("turns"),
    sessions: other("sessions"),
    embedded: other("embedded"),
    notEmbedded: other("notEmbedded"),
    openReviews: other("openReviews"),
    sampled: texts.length,
    centroid: seen.centroids.get(sensitivity) ?? null,
  };
}

function wordsOf(text: string): Set<string> {
  return new Set(analyseText(text).terms.filter((term) => !term.startsWith(PSEUDO_PREFIX)));
}

function sumOf(rows: readonly queries.UnitCountRow[]): number {
  return rows.reduce((sum, row) => sum + row.n, 0);
}

/** Adds up rows of counts under the names that `of` returns for them. */
export function tally(
  rows: readonly queries.UnitCountRow[],
  of: (row: queries.UnitCountRow) => string,
): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(rows, of)].map(([name, group]) => [name, sumOf(group)]));
}

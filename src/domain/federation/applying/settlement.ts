/** Decides what is shown of an item, and what follows: what to write, which conflicts open and end, what to publish. */
import { isProtected } from "../../unit/trust.ts";
import { type ItemJudgement, judgeItem } from "../decision/judge.ts";
import { seenOf } from "../decision/order.ts";
import { entriesOf, type KnownItem } from "../register/known_item.ts";
import type { Arrived, Effect } from "./effects.ts";
import type { DecisionInputs } from "./decision_inputs.ts";
import { findWinner } from "./voting_instances.ts";

/**
 * Whether a person stated what is shown of an item, or verified it. A stand-in belongs to another item: the peer's
 * version leaves it and gets a unit of its own.
 */
export function isShownProtected({ row, unit, relation }: KnownItem): boolean {
  const shown = unit ?? relation;
  return row.role !== "stand_in" && shown !== undefined && isProtected(shown);
}

/** Decides which version of an item is shown, from the present register. */
export function decide({ ctx, tx, electorate, strategyOf }: DecisionInputs, item: KnownItem): ItemJudgement {
  return judgeItem({ entries: entriesOf(item), shown: item.shown }, {
    instance: ctx.deps.config.instanceId,
    origin: item.name.instance,
    isProtected: isShownProtected(item),
    strategyOf,
    weightOf: (writer) => electorate.weights.get(writer) ?? 0,
    findWinner: (live) => findWinner(electorate, item, live, tx.now),
  });
}

/**
 * The version whose content a decision puts in place of what is shown; undefined if nothing replaces it.
 * @returns `missing` if that content is not here
 */
export function toAdopt(
  { versions, contents, shown: before }: KnownItem,
  { shown, adopted }: ItemJudgement,
  arrived: Arrived | undefined,
): Arrived | "missing" | undefined {
  if (shown === undefined || adopted === undefined || shown.hash === before?.hash) return undefined;
  const { hash } = shown;
  if (arrived?.hash === hash) return arrived;
  const kept = [...contents].find(([writer]) => versions.get(writer)?.hash === hash);
  return kept === undefined ? "missing" : { writer: kept[0], hash, content: kept[1], text: undefined };
}

/**
 * What follows from a decision whose content is written.
 * @param item the item that shows that content
 */
export function settlement(
  settling: DecisionInputs,
  item: KnownItem,
  judged: ItemJudgement,
  arrived: Arrived | undefined,
): Effect[] {
  const { shown, adopted, affirmed } = judged;
  const effects: Effect[] = [
    { do: "show", shown: shown!, role: item.row.role === "reserved" ? "unit" : item.row.role },
  ];
  if (affirmed !== undefined) {
    const content = adopted !== undefined && arrived?.hash === shown!.hash ? arrived.content : null;
    effects.push({ do: "publish", entry: affirmed, content });
  }
  return [...effects, ...settleConflicts(settling, item, judged, arrived), ...noteVerdicts(settling, item, judged)];
}

function settleConflicts(
  { strategyOf }: DecisionInputs,
  item: KnownItem,
  { contested, shown }: ItemJudgement,
  arrived: Arrived | undefined,
): Effect[] {
  const { hash, dot } = shown!;
  const winner = { instance: dot.writer, version: dot.version, hash };
  const ended = [...item.conflicts.keys()].filter((writer) => !contested.includes(writer)).map((writer): Effect => {
    const taken = item.versions.get(writer)?.hash === hash ? writer : dot.writer;
    const by = strategyOf(writer) === "consensus" ? "a vote" : "the peer";
    const outcome = `settled by ${by}: what ${taken} says is shown`;
    return { do: "endConflict", writer, ending: { state: "resolved", outcome, winner } };
  });
  const opened = contested.flatMap((writer): Effect[] => {
    const isNew = arrived?.writer === writer;
    const content = isNew ? arrived.content : item.contents.get(writer);
    if (content === undefined || (!isNew && item.conflicts.has(writer))) return [];
    const text = isNew ? arrived.text : undefined;
    return [{ do: "contest", rival: { writer, content, text, strategy: strategyOf(writer) } }];
  });
  return [...ended, ...opened];
}

/** Judges each writer's version, and drops the content of those that are shown or never will be. */
function noteVerdicts({ ctx }: DecisionInputs, item: KnownItem, { shown, contested }: ItemJudgement): Effect[] {
  const { hash, dot, context, settled } = shown!;
  const effects: Effect[] = [];
  for (const { writer, ...row } of item.versions.values()) {
    if (writer === ctx.deps.config.instanceId || row.verdict === "deferred" || row.isDeleted || row.isWithdrawn) {
      continue;
    }
    const isShown = row.hash === hash;
    const isDot = writer === dot.writer && row.version === dot.version;
    const other = seenOf(settled, writer) >= row.version ? "kept_ours" : "covered";
    const unshown = contested.includes(writer) ? "contested" : other;
    effects.push({ do: "judge", writer, verdict: isShown ? isDot ? "shown" : "equal" : unshown });
    const isKept = isShown ? item.row.role === "stand_in" : seenOf(context, writer) < row.version;
    if (!isKept) effects.push({ do: "drop", writer });
  }
  return effects;
}

/**
 * Finds statements that a conversation itself takes back: if two statements of a session are about the same, the later
 * one holds, and the earlier one is not kept. Their claims show this if the rules can read them. In addition, a later
 * statement that is marked as a change ("cancelled", "no longer", "not on Thursday") takes back an earlier one about
 * the same topic. That is looser than the rule for closing stored facts, because later words of a conversation are
 * about earlier ones. Pure.
 */
import {
  type Claim,
  isFramed,
  keyOfClaim,
  maskValues,
  readClaims,
  relateAll,
  takesBack as isTakenBack,
} from "./claims/mod.ts";
import { type ConversationTurn, speakerName } from "./conversation.ts";
import { ENDS } from "./end_phrases.ts";
import { doAll, type Pieces } from "./pieces.ts";
import type { Statement } from "./proposals.ts";
import { withoutContext } from "./reported_speech.ts";
import { listContentStems, listWords, stemWord } from "./tokenise.ts";

/** Later statements that a statement is compared with. */
const LOOK_AHEAD_MAX = 400;

export interface Settled {
  readonly kept: Statement[];
  readonly outdated: Statement[];
}

/**
 * Splits a session's statements, given in the order in which they were said, into those that hold
 * at its end and those that do not.
 */
export function settleChanges(statements: readonly Statement[], turns: readonly ConversationTurn[]): Settled {
  return doAll(settleEach(statements, turns));
}

/** The same, a statement a piece. */
export function* settleEach(
  statements: readonly Statement[],
  turns: readonly ConversationTurn[],
): Pieces<Settled> {
  const speakers = new Set<string>();
  for (const name of new Set(turns.map(({ name }) => name))) {
    yield;
    for (const word of listWords(speakerName({ name }) ?? "", "prose")) speakers.add(word);
  }
  const known = new Set<string>();
  for (const { statement } of statements) {
    yield;
    for (const [name] of statement.matchAll(/(?<=\p{L} )\p{Lu}\p{L}+/gu)) known.add(name.toLowerCase());
  }
  const said: Said[] = [];
  for (const statement of statements) yield void said.push(readSaid(statement, speakers, known));
  const moved = listMoved(said);
  const kept: Statement[] = [];
  const outdated: Statement[] = [];
  for (const [i, statement] of statements.entries()) {
    yield;
    const older = said[i]!;
    const isOutdated = moved.has(i) ||
      said.slice(i + 1, i + 1 + LOOK_AHEAD_MAX).some((newer, ahead) =>
        takesBack(newer, older) || correctsQuoted(statements[i + 1 + ahead]!, statement, newer, older)
      );
    (isOutdated ? outdated : kept).push(statement);
  }
  return { kept, outdated };
}

const ARRANGED = /\b(?:booked|ordered|reserved|scheduled|arranged|appointment|reservation|booking|visit|comes)\b/iu;
const REARRANGED =
  /\b(?:moved|changed|postponed|rescheduled|shifted|cancel(?:led|ed)) (?:[\p{L}']+ ){1,3}(?:appointment|booking|reservation|visit|slot|date|meeting)\b/iu;

/** Lists the indices of arrangements that a later statement moves or cancels without naming them; it means the last. */
function listMoved(said: readonly Said[]): Set<number> {
  const moved = new Set<number>();
  /** The arrangements so far that nothing has moved. */
  const standing: number[] = [];
  for (const [i, { text, values, mark }] of said.entries()) {
    const days = values.get("day");
    const last = mark === null || !REARRANGED.test(text) ? undefined : standing.at(-1);
    const isOther = last !== undefined &&
      (days === undefined || mark === "ends" || days.isDisjointFrom(said[last]!.values.get("day")!));
    if (isOther) {
      moved.add(last);
      standing.pop();
    }
    if (days !== undefined && ARRANGED.test(text)) standing.push(i);
  }
  return moved;
}

/** A statement in the form in which it is compared. */
interface Said {
  readonly text: string;
  readonly claims: readonly Claim[];
  /** Only claims that share a key bear on each other. */
  readonly keys: ReadonlySet<string>;
  /** Stems of its nouns and verbs, without values, names and marks of change. */
  readonly topic: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Its values, by kind. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  readonly mark: "ends" | "alters" | null;
  /** Stems of the things that it denies: "not on Thursday", "instead of 4 April". */
  readonly denied: readonly string[];
  /** The stems of all its words, which few comparisons need. */
  readonly stems: ReadonlySet<string>;
}

const ALTERS =
  /\b(?:moved?|moves|postponed|rescheduled|changed?|switch(?:ed)?|instead|extended|replaced?|replaces|renamed|shifted|raised|lowered|increased|reduced|now|updated|later|earlier|again|actually|(?:they|we|it) comes?)\b|[,;] not |\bis not\b|\bisn't\b/iu;
const INSTEAD = /\binstead\b(?! of)|\b(?:replaces?|replaced|takes over|took over|in place of)\b/iu;
const MOVED = /\b(?:rescheduled|postponed|moved|extended|shifted|delayed)\b/iu;
const DENIED =
  /(?:[,;] not |\bnot |\binstead of |\brather than |\bno longer |\bfrom )((?:(?:on|at|in|the|a|an|by) )?[^,;.!?]{2,40})/giu;
const UNLIKE = /[,;] not |\binstead of |\bno longer /iu;
const CHANGED_TO = /\b(?:changed|renamed|switched|reset|updated)\b.{1,60} to /iu;
/** Words that mark a change or say little about the topic. */
const LIGHT: ReadonlySet<string> = new Set(
  listContentStems(
    `cancel cancelled off longer anymore stop stopped quit end ended repair repaired fix fixed return sold sell
    broke up remove removed drop dropped refuse moved move postponed change changed rescheduled switch switched instead extend extended
    replace replaced rename renamed shift raised lowered now update updated later earlier again actually week day time new
    come comes go goes get gets take takes make makes made run runs start starts begin plan planned schedule scheduled
    cost costs use uses want wants need needs others user assistant until since today tomorrow morning evening will would
    should decided decide agreed`,
    "prose",
  ),
);

/** Matches the beginning of an addition to a clause. */
const AFTERWARDS = /,? (?:but|although|though) |, (?:and|or|so|which|as) /iu;

/** Words for numbers and names of things; these stay true after the thing itself has ended. */
const LABELS: ReadonlySet<string> = new Set(
  listContentStems("number code id address name password ticket birthday email phone reason cause", "prose"),
);

function readSaid(
  { statement, words = statement }: Statement,
  speakers: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Said {
  const { values } = maskValues(words);
  const byKind = new Map<string, Set<string>>();
  for (const { kind, key } of values) byKind.set(kind, (byKind.get(kind) ?? new Set()).add(key));
  let rest = words;
  for (const { text } of values) rest = rest.replace(text, " ");
  const topic = new Set<string>();
  const names = new Set<string>();
  for (const [i, [word]] of [...rest.matchAll(/[\p{L}\p{N}][\p{L}\p{N}.-]*(?:'s\b)?/gu)].entries()) {
    const name = word.replace(/'s$/u, "").toLowerCase();
    // The speaker's name is no part of the topic.
    if (speakers.has(name)) continue;
    if (/^\p{Lu}/u.test(word) && (i > 0 || word.endsWith("'s") || known.has(name))) names.add(name);
    else for (const stem of listContentStems(word, "prose")) if (!LIGHT.has(stem)) topic.add(stem);
  }
  const denied = [...words.matchAll(DENIED)].map(([, what]) => stemsOf(what!).join(" ")).filter(Boolean);
  const after = AFTERWARDS.exec(words);
  const isDoubted = after !== null && isTakenBack(words.slice(after.index));
  const mark = isDoubted ? null : ENDS.test(words) ? "ends" : ALTERS.test(words) ? "alters" : null;
  const claims = claimsOf(statement);
  const keys = new Set(claims.map(keyOfClaim));
  let stems: ReadonlySet<string> | undefined;
  return {
    ...{ text: words, claims, keys, topic, names, values: byKind, mark, denied },
    get stems() {
      return stems ??= new Set(stemsOf(words));
    },
  };
}

function stemsOf(text: string): string[] {
  return listWords(text, "prose").filter((word) => listContentStems(word, "prose").length > 0)
    .map((word) => stemWord(word, "prose"));
}

/** Within a session "we" is one group, whoever says it. */
function claimsOf(whole: string): Claim[] {
  const statement = withoutContext(whole);
  // A quotation of somebody else is no claim of the speaker's.
  if (isFramed(statement.slice(0, Math.max(0, statement.indexOf(": "))))) return readClaims(statement);
  return readClaims(
    statement.replace(/^[\p{L}' .-]{1,60}? and others(?=\s)/u, "The team").replace(/: (?=\p{L})/u, ". "),
  );
}

/** Words that undo what an earlier statement tells as done. */
const RESTORES = /\b(?:restored|reinstated|reverted|undid|undone|put back)\b/iu;
/** How somebody begins who corrects what he said a turn before. */
const CORRECTED =
  /^(?:(?:oh|ah|oops|ugh|and|hm+),? )*(?:sorry,? no|no,? sorry|no,? wait|wait,? no|actually no|scratch that|correction|my mistake|i meant?)\b/iu;

/** Whether a statement corrects one that it quotes, of the same speaker, with a value of the same kind. */
function correctsQuoted(newer: Statement, older: Statement, of: Said, was: Said): boolean {
  return newer.words !== undefined && CORRECTED.test(newer.words) &&
    newer.context?.includes(older.messageId) === true && newer.statement.includes(older.quote.replace(/\s+/gu, " ")) &&
    [...of.values.keys()].some((kind) => was.values.has(kind));
}

function takesBack(newer: Said, older: Said): boolean {
  if (!newer.keys.isDisjointFrom(older.keys) && relateAll(newer.claims, older.claims) !== "none") return true;
  const shared = newer.topic.intersection(older.topic).size;
  if (RESTORES.test(newer.text) && older.mark === "ends") return shared >= 2;
  if (newer.mark === null || UNLIKE.test(older.text)) return false;
  // With "instead" the names may differ, because somebody else does it now.
  if (shared === 0 || (!INSTEAD.test(newer.text) && areApart(newer.names, older.names))) return false;
  const overlap = shared / Math.min(newer.topic.size, older.topic.size);
  if (deniesOf(newer, older)) return overlap >= 0.3;
  if (newer.mark === "ends") {
    return !older.topic.intersection(LABELS).size && overlap >= 0.5 && older.mark !== "ends" &&
      shared >= Math.min(2, newer.topic.size);
  }
  if (overlap < 0.5) return false;
  const isReplaced = INSTEAD.test(newer.text) || (MOVED.test(newer.text) && newer.values.size > 0);
  if (CHANGED_TO.test(newer.text) && shared >= 2 && overlap >= 0.6) return true;
  return (hasOtherValue(newer, older) && !areApartThings(newer, older, overlap)) ||
    (isReplaced && older.values.size > 0 && overlap >= 0.6);
}

/**
 * The share of their topics that two statements must have in common if each names something that the other does not.
 */
const SHARED_MIN = 0.75;

/** Whether two statements with other values are about other things: "three coffees a day", "two litres of water a day". */
function areApartThings(newer: Said, older: Said, overlap: number): boolean {
  // A day or an hour may move in other words.
  if (["day", "clock"].some((kind) => newer.values.has(kind) && older.values.has(kind))) return false;
  const differ = newer.topic.difference(older.topic).size > 0 && older.topic.difference(newer.topic).size > 0;
  if (differ && overlap < SHARED_MIN) return true;
  const [of, was] = [newer.claims, older.claims];
  // Both count, or pay for, something of their own.
  const isOfOther = of.some((one) =>
    was.some((other) =>
      keyOfClaim(one) === keyOfClaim(other) &&
      (one.predicate.startsWith("has ") || (one.scope !== other.scope && one.scope !== "" && other.scope !== ""))
    )
  );
  if (isOfOther) return true;
  // The same is said of two subjects: "my daughter is three months old", "my puppy is five months old".
  return of.some((one) =>
    was.some((other) => one.predicate === other.predicate && one.subjectKey !== other.subjectKey)
  ) &&
    !of.some((one) => was.some((other) => keyOfClaim(one) === keyOfClaim(other)));
}

/** Whether both statements name somebody or something, but have no name in common. */
function areApart(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && b.size > 0 && a.isDisjointFrom(b);
}

/** Whether the newer statement denies something in the older one. */
function deniesOf(newer: Said, older: Said): boolean {
  return newer.denied.some((what) => what.split(" ").every((stem) => older.stems.has(stem)));
}

/** Whether both have a value of one kind, and not the same. */
function hasOtherValue(newer: Said, older: Said): boolean {
  return [...newer.values].some(([kind, keys]) => {
    const others = older.values.get(kind);
    return others !== undefined && keys.isDisjointFrom(others);
  });
}

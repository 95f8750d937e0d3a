/** Guesses about tools and means that two statements express in different words. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { make, mark } from "./guess_draft.ts";
import { NO_TOOL } from "./linked_guesses.ts";
import { isPerson } from "./people_rules.ts";
import { isProper } from "./phrases.ts";
import { isTool } from "./switch_guesses.ts";
import { contentStems, isSameValue, maskValues, stemsOf } from "./values.ts";
import { lemmaOfIng } from "./verbs.ts";

/** A name such as "Notion", "VS Code" or "iCloud". */
const NAME = /^\p{Ll}?\p{Lu}[\p{L}\d.+-]*(?: \p{Lu}[\p{L}\d.+-]*)?$/u;
const OF_OWN = /^(?:all )?(?:of )?(?:(?:its|our|my|his|her|their|the) )?/iu;
/** A word or two in small letters, such as "calls" or "bug reports". */
const WORK = /^\p{Ll}[\p{L}-]*(?: \p{Ll}+)?$/u;

/** The tool in or on which something is done, and the text before it; null: there is no name, or it is no tool. */
function toolOf(text: string): { readonly object: string; readonly tool: string } | null {
  const said = /^(?:(.+) )?(?:in|on|via|using) (\S+(?: \S+)?)$/u.exec(upTo(text).replace(/[.!]+$/u, ""));
  return said === null || !NAME.test(said[2]!) || NO_TOOL.test(said[2]!) || maskValues(said[2]!).values.length > 0
    ? null
    : { object: stemsOf(said[1] ?? "").join(" "), tool: said[2]! };
}

/** Whether two phrases differ only in the tool. */
function isOtherTool(now: string, before: string): boolean {
  const [a, b] = [toolOf(now), toolOf(before)];
  return a !== null && b !== null && a.object === b.object && !isSameValue(a.tool, b.tool);
}

/** "I do all my coding in Zed now" after "I code in VS Code". */
function guessDoing(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  const said = lemma === "do" && isNew && !isDenied && form !== "past"
    ? /^(?:all |most )?(?:of )?(?:my|our|his|her|their|the) (\p{L}+ing) (.+)$/iu.exec(upTo(rest))
    : null;
  if (said === null) return [];
  return mark(clause, {
    predicates: [lemmaOfIng(said[1]!)],
    value: said[2]!,
    outdates: ({ value, polarity }) => polarity && isOtherTool(said[2]!, value),
  });
}

interface Moved {
  /** The work that is done, or the things that are kept, such as "calls". */
  readonly work: string;
  readonly tool: string;
  readonly owners: readonly string[];
}

/** Reads the work that a clause says was moved to another tool, or is in one now; null: it says no such thing. */
function movedWork(clause: Clause): Moved | null {
  const { lemma, rest, isDenied, isNew, form, subjectText, speaker } = clause;
  if (isDenied) return null;
  const isMove = form === "past" && !clause.isPassive && /^(?:move|migrate|switch|transfer|port|shift)$/.test(lemma);
  if (isMove) {
    const [what = "", tool] = upTo(rest).split(/ (?:over |across )?(?:to|onto|into) (?=\p{Ll}?\p{Lu})/u);
    return tool === undefined ? null : { work: what.replace(OF_OWN, ""), tool, owners: [subjectText] };
  }
  if (lemma !== "be" || !isNew || isPerson(clause)) return null;
  const tool = /^(?:on|in|with|via|over) (.+)$/iu.exec(upTo(rest))?.[1];
  const work = subjectText.replace(OF_OWN, "").replace(/^.*'s /u, "");
  const isOwn = !subjectText.includes("'s ") || subjectText === `${speaker}'s ${work}`;
  return tool === undefined || !isOwn ? null : { work, tool, owners: ["we", speaker] };
}

/** "The team has moved its deployments to Render" after "the team uses Jenkins to deploy", "all our calls are on Meet now". */
function guessMovedWork(clause: Clause): Guessed[] {
  const moved = movedWork(clause);
  const tool = moved?.tool.replace(/[.!]+$/u, "") ?? "";
  if (
    moved === null || maskValues(tool).values.length > 0 || !NAME.test(tool) || NO_TOOL.test(tool) ||
    !WORK.test(moved.work)
  ) return [];
  const stems = contentStems(moved.work);
  if (stems.length === 0) return [];
  const isFor = ({ value, polarity, scope }: Claim) =>
    polarity && isProper(value) && !isSameValue(value, tool) && scope !== "" &&
    scope.split(" ").every((stem) => stems.includes(stem)) && scope.split(" ").includes(stems.at(-1)!);
  return moved.owners.flatMap((subject) =>
    mark(clause, { subject, predicates: ["uses"], value: tool, outdates: isFor })
  );
}

/** "We use Wanderlog to plan our trips now" after "we plan our trips in a spreadsheet". */
function guessMeansOf(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form } = clause;
  if (isDenied || !isNew || form === "past" || lemma !== "use") return [];
  const [tool = "", deed] = upTo(rest).split(/ to (?=\p{Ll})/u);
  const said = deed === undefined ? null : /^(\p{Ll}+)(?: (.*))?$/u.exec(deed);
  if (said === null) return [];
  const object = stemsOf(said[2] ?? "").join(" ");
  // "I use Strava to run now" does not say where the person runs.
  if (object === "") return [];
  return mark(clause, {
    predicates: [said[1]!],
    value: `${said[2] ?? ""} with ${tool}`,
    outdates: ({ value, polarity }) => {
      const at = value.search(/\b(?:in|on|with|via|by|over|using) /iu);
      const means = value.slice(at).replace(/^\S+ /u, "");
      return polarity && at >= 0 && stemsOf(value.slice(0, at)).join(" ") === object && isTool(means) &&
        !isSameValue(means, tool);
    },
  });
}

/** "We've started tracking our budget in YNAB" after "we track our budget in Excel": the same by other means. */
function guessStarted(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, form } = clause;
  const started = !isDenied && form === "past" && /^(?:start|begin)$/.test(lemma)
    ? /^(\p{L}+ing) (.+)$/u.exec(upTo(rest))
    : null;
  // Without an object ("I work in Lisbon") the name may be that of a town.
  if (started === null || (toolOf(started[2]!)?.object ?? "") === "") return [];
  return mark(clause, {
    predicates: [lemmaOfIng(started[1]!)],
    value: started[2]!,
    outdates: ({ value, polarity }) => polarity && isOtherTool(started[2]!, value),
  });
}

/** Subjects that are "on" a tool when they use it. A single person who is "on" something may be on an island or on medicine. */
const GROUP = /^we$|\b(?:team|company|office|department|firm)$/iu;
/** Matches names of places and media that somebody can be "on". They are no tools. */
const WHEREABOUTS = /^TV$| (?:Street|Road|Lane|Avenue|Square|Hill|Beach|Island)$/u;

/** "We're on Notion these days" after "we use Asana": it means "we use Notion now". */
function guessOnTool(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew } = clause;
  const tool = lemma === "be" && isNew && !isDenied && GROUP.test(clause.subjectText)
    ? /^on (.+)$/iu.exec(upTo(rest).replace(/[.!]+$/u, ""))?.[1]
    : undefined;
  if (tool === undefined || !NAME.test(tool) || NO_TOOL.test(tool) || WHEREABOUTS.test(tool)) return [];
  if (maskValues(tool).values.length > 0) return [];
  return [make(clause, { respect: "tool", predicate: "uses", value: tool, change: "began" })];
}

/** "Lena has a Framework laptop now" after "Lena's laptop is a Dell". */
function guessOwnKind(clause: Clause): Guessed[] {
  const { lemma, rest, isDenied, isNew, form, subjectText } = clause;
  const isGot = lemma === "have" ? isNew && form !== "past" : /^(?:get|buy)$/.test(lemma) && form === "past";
  const said = isGot && !isDenied && !clause.isPassive && isPerson(clause)
    ? /^an? (?:new )?(\p{Ll}?\p{Lu}[\p{L}\d.+-]*) (phone|laptop|computer|tablet|car|bike|camera|watch|printer)$/u
      .exec(upTo(rest).replace(/[.!]+$/u, ""))
    : null;
  if (said === null) return [];
  return mark(clause, {
    subject: `${subjectText}'s ${said[2]}`,
    predicates: ["is"],
    value: said[1]!,
    outdates: ({ value, polarity }) => polarity && isProper(value) && !isSameValue(value, said[1]!),
  });
}

/** Guesses which older claims a clause likely replaces because it names another tool. */
export function guessUsage(clause: Clause): Guessed[] {
  return [
    ...guessDoing(clause),
    ...guessMovedWork(clause),
    ...guessMeansOf(clause),
    ...guessStarted(clause),
    ...guessOnTool(clause),
    ...guessOwnKind(clause),
  ];
}

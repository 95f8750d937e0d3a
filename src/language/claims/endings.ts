/** Wordings for the end or the replacement of something, whatever it is. */
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";

/** The words between a verb that ends something and the name of the thing. */
const OWNED =
  /^(?:(?:all|any|both|up|out|off|down|in|back|away|behind|on|with|of|from) )*(?:(?:my|our|his|her|their|its|the|an?|that|this|those|old) )*/iu;
const AFTERWARDS =
  / (?:behind|for good|altogether|completely|entirely|at last|for ever|forever|last \p{L}+|in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|\d{4})|after (?:the|an?|that|all) .*|this (?:week|month|year)|(?:a|two|three) (?:days?|weeks?|months?) ago)[.!]?$/iu;

/** Verbs that end what they name, with the words that belong to them. */
const ENDS: readonly RegExp[] = [
  /^(?:say|wave|bid) (?:goodbye|bye|farewell|adieu) to (.+)$/iu,
  /^be (?:done|finished|through|over and done) with (.+)$/iu,
  /^have (?:had )?(?:more than )?enough of (.+)$/iu,
  /^have had it (?:up to here )?with (.+)$/iu,
  /^(?:lose|drop|stop|end|cancel|quit|leave|sell|delete|terminate|abandon|ditch|dump|scrap|retire|remove|return|revoke|outgrow|discontinue|uninstall|decommission|disband|dissolve|finish|skip|unfollow|surrender|forgo|renounce|donate|lend|trade|dismantle|demolish|cease|complete|vacate|divorce|kick|axe|shelve|mothball|disable|deactivate|pass|evict|fire|sack|dismiss)\b (.+)$/iu,
  /^(?:give|throw|phase|hand|send|put|take|cut|rip|tear|pull|rule|wind|shut|close|write|sort|move|clear|turn|lay|sign|wean|swear)\b (?:up on|up|out|away|back|off|down|in) (?!to\b)(.+)$/iu,
  /^(?:drop|pull|back|opt|check|move|walk|get|grow|step|bow|climb|fall|age|come|drop|break) (?:out|away|back|down|off) (?:of|from|as) (?:being )?(.+)$/iu,
  /^(?:withdraw|resign|retire|depart|desist|unsubscribe|abstain|refrain|separate|disconnect|migrate|move|log|exit|retreat) (?:away |out |off )?(?:from|off) (.+)$/iu,
  /^(?:part|break) (?:ways|company|up|off|it off|contact) (?:with )?(.+)$/iu,
  /^break (?:with|off) (.+)$/iu,
  /^move on from (.+)$/iu,
  /^go off ((?!(?:at|in|to|on|for|with|and|after|by|again|the)\b).+)$/iu,
  /^turn (?:my|our|his|her|their) backs? on (.+)$/iu,
  /^call (?:it quits|time|a halt) (?:on|to|with) (.+)$/iu,
  /^(?:put|bring) (?:an end|a stop) to (.+)$/iu,
  /^(?:get|be) rid of (.+)$/iu,
  /^(?:lose (?:interest in|touch with|faith in)|let go of|steer clear of|run out of|do away with|make do without|do without) (.+)$/iu,
  /^stop being (?:an? )?(.+)$/iu,
  /^(?:shave|chop|cut|saw|tear|break) off (.+)$/iu,
  /^(?:give|hand|send|bring|pay|put) ((?:my|our|his|her|their|the) .+?) (?:back|away|up|in)[.!]?$/iu,
  /^let (.+) go[.!]?$/iu,
  /^(?:get|be) over (.+)$/iu,
];
/**
 * Things that are a part or a share in something else, such as a membership; the second group is that something else.
 */
const PART_OF =
  /^(.*?\b(?:memberships?|seats?|places?|spots?|partnership|contract|subscriptions?|job|position|post|role|relationship|engagement|lease|accounts?|collaboration|agreement|stake|shares?|access|tickets?|training|chair|presidency|work|studies|course|allergy|intolerance|habit|use|career)) (?:of|on|in|with|at|to|from|as|for) (?:the |an? |my |our |his |her |their )?(.+)$/iu;

function strip(thing: string): string {
  return upTo(thing).replace(AFTERWARDS, "").replace(OWNED, "").replace(/[.!,;]+$/u, "").trim();
}

/** Reads what a clause says its subject has stopped doing or having, in each wording that may name it. */
export function endedThing(clause: Clause): string[] {
  const { lemma, rest, isDenied } = clause;
  if (isDenied) return clause.form === "past" && !clause.isPassive ? [] : deniedThings(clause);
  // "does without cookies now"
  if (lemma === "without") return namesOf(strip(rest));
  const without = /\bno more (\p{Lu}[^,.;!]*)/u.exec(rest)?.[1];
  if (without !== undefined) return namesOf(strip(without));
  if (
    clause.isPassive || clause.isProgressive ||
    (clause.form !== "past" && lemma !== "be" && !(clause.isNew && lemma === "skip") &&
      !(lemma === "have" && /^(?:had )?(?:it|(?:more than )?enough)\b/iu.test(rest)))
  ) {
    return [];
  }
  const said = `${lemma} ${rest}`;
  for (const pattern of ENDS) {
    const match = pattern.exec(said);
    if (match !== null && match[1] !== undefined) return namesOf(strip(match[1]));
  }
  // "takes the table out of the office", "cut meat out"
  const out = /^(?:take|move|cut|leave|drop|kick) (.+?) (?:out|away)\b(?: (?:of|from) .*)?$/iu.exec(said)?.[1];
  return out === undefined ? [] : namesOf(strip(out));
}

/** Matches verbs with the thing that somebody has left: "recovered from the flu", "was cut from the team". */
const GOES_FROM =
  /^(?:(?:come|go|be|get|move|return|walk|break|fly|travel) (?:back|home|away|out|off|over|back home|free|clear)|recover|release|discharge|cut|drop|exclude|expel|remove|ban|fire|dismiss|free|rescue|withdraw|graduate|bounce back|emerge|escape|retire|resign|heal|step down|be|kick out|throw out|vote out|take|strike|replace|oust|unseat|vote)(?: (?:back|home|out|off))? (?:from|out of|off|(?<=replace )on) (.+)$/iu;
const LET_GO =
  /^(?:fire|lay|dismiss|drop|sack|release|reject|dump|boot|axe|sell|expel|suspend)(?: off)? by (.+)$|^(?:move|migrate|take|transfer|switch|port)(?: away)? (?:from|off) ((?:(?! to ).)+)$/iu;

/** Reads what somebody or something has left or is out of. */
export function leftThing(clause: Clause): string[] {
  const { lemma, rest, isDenied, isProgressive } = clause;
  if (isDenied || isProgressive || (clause.form !== "past" && lemma !== "be")) return [];
  const said = `${lemma} ${rest}`;
  const thing = GOES_FROM.exec(said)?.[1] ??
    (clause.isPassive ? LET_GO.exec(said)?.slice(1).find((one) => one !== undefined) : undefined);
  if (
    thing === undefined ||
    (lemma === "be" && !/^(?:(?:back|home|away) )?(?:out of|off|from) /iu.test(rest) && !/ out of /iu.test(said))
  ) return [];
  return namesOf(strip(thing));
}

function namesOf(thing: string): string[] {
  if (thing === "" || /^(?:it|them|him|her|that|this|us|me|early|late|home)\b/iu.test(thing)) return [];
  const part = PART_OF.exec(thing);
  const bare = thing.replace(
    /(?:'s?)? (?:membership|subscription|account|job|contract|allergy|intolerance|diet|habit|training|place|house|flat|home|rights?|status|post|badge)s?$/iu,
    "",
  );
  const plain = thing.replace(
    /^(?:(?:old|last|little|big|beloved|dear|entire|whole|vintage|used|remaining|second|daily|weekly|regular) )+/iu,
    "",
  );
  const name = /(?<!\p{L} )\p{Lu}[\p{L}\d]+(?: \p{Lu}[\p{L}\d]+)*$/u.exec(plain)?.[0] ?? plain;
  return [...new Set([thing, ...(part === null ? [] : [part[2]!]), bare, plain, name])];
}

/**
 * Reads what a clause denies from now on, in whatever respect: "no longer needs a summary", "is not with the Guardian
 * any more".
 */
function deniedThings({ rest, hasEnded, isPassive, lemma }: Clause): string[] {
  if (!hasEnded || (isPassive && rest === "")) return [];
  const bare = rest.replace(
    /^(?:for|to|about|with|in|at|on|of|from|by|into|as|part of|a member of|an? \p{L}+ of|\p{L}+ing (?:at|in|for|with|on|to)?) /iu,
    "",
  );
  return [...new Set([...namesOf(strip(bare)), ...(lemma === "be" ? namesOf(strip(rest)) : [])])];
}

/** Verbs after which their subject is no longer there. */
const GONE =
  /^(?:scrap|sell|end|expire|lapse|die|cut|close|cancel|steal|discontinue|vanish|disappear|fold|terminate|abolish|axe|dissolve|disband|revoke|withdraw|retire|(?:run|sell|phase|wear|peter) out|pass away|fall (?:through|apart|flat)|write off|break off|call off|shut down|take (?:away|down|out)|remove|delete|erase|extract|go away|clear up|disconnect|tow|destroy|smash|wreck|confiscat|demolish|burn down|chop down|eat|come (?:off|to an end)|give (?:away|up)|be (?:gone|history|no more|dead|out of the question|written off|done for))\b/iu;

/** Reads what is gone, and whose it was: "Beth's Peugeot was scrapped", "the cabin isn't mine any more". */
export function goneThing(
  clause: Clause,
): { readonly owners: readonly string[]; readonly things: readonly string[] } | null {
  const { lemma, rest, subjectText, isDenied } = clause;
  const said = lemma === "go" && clause.isPassive ? "be gone" : `${lemma} ${rest}`;
  const whose = isDenied && clause.hasEnded && lemma === "be"
    ? /^(mine|ours|\p{Lu}\p{L}+'s)\b/u.exec(rest)?.[1]
    : undefined;
  if (whose !== undefined) {
    const owner = whose === "mine" ? clause.speaker : whose === "ours" ? "we" : whose.slice(0, -2);
    return { owners: [owner], things: [subjectText] };
  }
  if (isDenied || clause.isProgressive || !GONE.test(said) || (clause.form !== "past" && lemma !== "be")) return null;
  const within = /^(.+?) (?:in|at|of) (?:my|our|the) (\p{Ll}+(?: \p{Ll}+)?)$/u.exec(subjectText);
  const owned = /^(.+?)'s (.+)$/u.exec(subjectText) ?? /^(our|my) (.+)$/iu.exec(subjectText);
  // "Sentry is gone": nobody says whose it was.
  if (owned === null && within !== null) return { owners: [within[2]!, "we", clause.speaker], things: [within[1]!] };
  if (owned === null) return { owners: ["we", clause.speaker], things: [subjectText] };
  const owner = /^our$/iu.test(owned[1]!) ? "we" : /^my$/iu.test(owned[1]!) ? clause.speaker : owned[1]!;
  return { owners: [owner], things: namesOf(owned[2]!) };
}

const SWAPS =
  /^(?:swap|swop|trade|exchange|replace|substitute|give up|drop|ditch|leave|abandon|change|cut) (?:out |in |up )?(.+?) (?:for|with|by|in favou?r of) (.+)$/iu;
const FROM_TO =
  /^(?:switch|change|move|go|jump|upgrade|downgrade|migrate|convert|graduate|progress|transfer|pass|shift|swap|defect)\b(?: (?:over|up|down|on|away|back|out))*(?: (?:my|our|his|her|their|its) \p{L}+)? from (.+?) (?:over )?(?:in)?to (.+)$/iu;
const TAKES_PLACE =
  /^(?:take the place of|replace|supplant|oust|supersede|succeed|take over from|step in for|come in for|push out|stand in for) (.+)$/iu;
const GIVES_WAY =
  /^(?:give way|make way|be (?:replaced|superseded|succeeded|supplanted|ousted|swapped|traded)|replace|supersede|succeed|supplant|oust|swap|trade)\b(?: out)? (?:to|for|by|with) (.+)$/iu;

/** Reads which thing a clause says was replaced, and in which role: "Heat has replaced Alien as my favourite film". */
export function replacedThings(clause: Clause): { readonly old: string; readonly owners: readonly string[] } | null {
  const { lemma, rest, isDenied, isPassive } = clause;
  if (isDenied || clause.isProgressive) return null;
  const said = `${lemma} ${rest}`;
  const owners = (text: string) => {
    const purpose = / as (?:the |our |my |its )?(.+)$/iu.exec(text)?.[1] ??
      / (?:for|in) (?:the |our |my |its )?(.+)$/iu.exec(text)?.[1];
    return purpose === undefined ? [] : [upTo(purpose), `${clause.speaker} ${upTo(purpose)}`];
  };
  const bare = (text: string) => strip(text).replace(/ (?:as|for) (?:the|our|my|its) .*$/iu, "");
  if (clause.from !== null) return { old: bare(clause.from), owners: owners(rest) };
  if (clause.form !== "past") return null;
  if (isPassive && GIVES_WAY.test(said)) return { old: clause.subjectText, owners: owners(rest) };
  if (!isPassive && /^(?:give|make) way/iu.test(said)) return { old: clause.subjectText, owners: [] };
  const takes = isPassive ? null : TAKES_PLACE.exec(said);
  const converted = /^(?:turn|convert|transform|make) (.+?) into (.+)$/iu.exec(said)?.[1];
  const old = (isPassive ? undefined : converted) ?? SWAPS.exec(said)?.[1] ?? FROM_TO.exec(said)?.[1] ?? takes?.[1];
  return old === undefined ? null : { old: bare(old), owners: owners(rest) };
}

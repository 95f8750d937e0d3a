/** Rewords roundabout sentences about what something is as plain ones that the rules read. Pure. */
import { findVerb, ingOf } from "./verbs.ts";

const BEST =
  /^the (\p{L}+est|most \p{L}+) (?!friend)(\p{L}+(?: \p{L}+)?) (?:that )?i ha(?:ve|s) (?:ever )?\p{L}+(?: so far| by now| yet)? is (.+)$/iu;
const WHICH_IS = /^.*?\b((?:\p{Lu}[\p{L}'-]+)(?: \p{Lu}[\p{L}'-]+)*), which (?:is|has become) (?:now )?(my .+?)[.!]*$/u;

/** "…, a new personal best", "…, which is my record now" */
const IS_RECORD =
  /,? (?:which (?:is|was) |for )?(?:now )?(?:a|my) (?:new )?(?:all-time )?(personal (?:best|record)|record|PB|PR)(?: (?:for me|now|so far))*[.!]*$/u;
/** "pulled 135 kilos in the deadlift", "ran 26:15 over 5K" */
const AMOUNT_IN =
  /^\p{L}+ (\d[\d,.:]*(?: ?(?:kilos?|kg|pounds|lbs|km|kilomet(?:re|er)s?|miles?|met(?:re|er)s?|minutes?|seconds?|hours?|reps?|points?|push-?ups|pull-?ups|sit-?ups|laps|lengths)\b(?: (?:and )?\d+(?: seconds?| minutes?)?)?)?) (?:in|at|on|for|over) (?:the |my )?([\p{L}\d][\p{L}\d-]*(?: press| jump| throw)?)/u;
/** "ran the 10K in 49 minutes", "held my breath for 2 minutes 10", "deadlifted 135 kilos" */
const DONE_IN =
  /^(\p{L}+) (?:(?:the |my |an? )?(\S+(?: (?!(?:in|for) )\S+)?) )?(?:(in|for) )?(\d[\d,.:]*(?: ?(?:kilos?|kg|pounds|lbs|km|miles?|metres?|minutes?|seconds?|hours?|reps?|points?|push-?ups|pull-?ups|sit-?ups|laps|lengths)\b(?: (?:and )?\d+)?)?)(?= |[.,!]|$)/u;

/** "ran 18 kilometres on Sunday, my longest run ever" */
const MOST_EVER =
  /^I (?:(?:have|just|finally) )*\p{L}+ (\d[\d,.:]*(?: ?(?:\p{Ll}+))?)\b.*, (?:which (?:is|was) )?my (\p{Ll}+est \p{L}+)(?: (?:ever|so far|yet|to date))[.!]*$/u;

/** Says what a record is now that somebody has set a new one: "My personal best in the deadlift is 135 kilos now". */
function recordOf(sentence: string): string | null {
  const most = MOST_EVER.exec(sentence);
  if (most !== null) return `My ${most[2]} is ${most[1]} now`;
  const name = IS_RECORD.exec(sentence);
  if (name === null) return null;
  const did = sentence.slice(0, name.index).replace(/^I (?:(?:have|just|finally|actually) )*(?:managed to )?/u, "");
  if (did.length + name[0].length === sentence.length) return null;
  const amount = AMOUNT_IN.exec(did);
  if (amount !== null) return `My ${name[1]} in the ${amount[2]} is ${amount[1]} now`;
  const done = DONE_IN.exec(did);
  const lemma = done === null ? undefined : findVerb(done[1]!)?.lemma;
  if (done === null || (done[2] === undefined) !== (done[3] === undefined)) return null;
  if (done[2] === undefined && /^(?:did|managed)$/u.test(done[1]!)) return `I can do ${done[4]} now`;
  if (done[2] === undefined) return `My ${name[1]} in the ${(lemma ?? done[1]!).replace(/ed$/u, "")} is ${done[4]} now`;
  if (done[3] === "in") return `My ${name[1]} for the ${done[2]} is ${done[4]} now`;
  return lemma === undefined ? null : `My ${name[1]} at ${ingOf(lemma)} my ${done[2]} is ${done[4]} now`;
}

/** "Piet, my neighbour, is a driver" says of my neighbour Piet what he is. */
const NAME_FIRST = /^(\p{Lu}[\p{L}-]+), my ((?:\p{Ll}[\p{L}-]* ){0,2}\p{Ll}+), (?=\p{Ll})/u;

/** "The longest ride I've done so far is 104 km" says how long my longest ride is. */
export function rephrase(sentence: string): string {
  // Most sentences have no such wording.
  if (!/, |^the /iu.test(sentence)) return recordOf(sentence) ?? sentence.replace(/^My my /u, "My ");
  return recordOf(sentence) ??
    sentence.replace(NAME_FIRST, "My $2 $1 ").replace(BEST, "My $1 $2 is $3").replace(WHICH_IS, "My $2 is $1").replace(
      /^My my /u,
      "My ",
    );
}

/** "I want to write to my friend Ruth, who moved back to Hamburg": a clause at the end about somebody. */
const WHO =
  /(?<=^|[\s(])(?<!\b(?:of|from) )(?<!'s )((?:(?:my|our|the user's) (?:\p{Ll}[\p{L}-]* ){1,3}?)?\p{Lu}\p{L}+|(?:my|our|the user's) (?:\p{Ll}[\p{L}-]* ){0,2}\p{Ll}+), who (?=(?:(?:is|has|had|lives|works|moved|now|just|recently|got|started|left|studies|quit)\b))([^,;?]{4,120})(?:[,;].*)?$/u;
/** "Omar, my best friend, who …" */
const NAMED_BEFORE = /(\p{Lu}\p{L}+), (?:my|the user's) ((?:\p{Ll}+ ){0,2}\p{Ll}+), who /u;
/** Matches stories, games, suppositions, namesakes and hearsay. */
const TOLD_ELSEWHERE =
  /\b(?:novels?|films?|movies?|stor(?:y|ies)|series|books?|dream\p{L}*|characters?|games?|hero(?:ine)?|plays?|poems?|songs?|jokes?|reading|imagin\p{L}*|pretend\p{L}*|suppos\p{L}*|if|said|says|another|different|(?:is|was|are|were) not (?=\p{Lu})|isn't|wasn't|(?:don't|do not|didn't) know (?=\p{Lu}|my))\b/iu;

/** People of whom somebody may have several: without a name, another one may be meant. */
const ONE_OF_SEVERAL =
  /\b(?:friend|colleague|co-?worker|cousin|neighbou?r|client|customer|student|classmate|acquaintance|patient|uncle|aunt|nephew|niece|teammate|ex)$/u;
const FOR_A_WHILE =
  /\b(?:(?:this|next) (?:week|weekend|month|summer|winter)|today|tonight|in the week of|until|till|for (?:the|an?|two|three|some) \p{L}+)\b/iu;

/** Makes a sentence of a clause with "who" about somebody who is named before it; null: there is none. */
export function tellWho(sentence: string): string | null {
  if (!sentence.includes(", who ")) return null;
  const told = WHO.exec(sentence.replace(NAMED_BEFORE, "my $2 $1, who "));
  if (told === null || TOLD_ELSEWHERE.test(sentence)) return null;
  const [, who, says] = told;
  if (ONE_OF_SEVERAL.test(who!) || FOR_A_WHILE.test(says!)) return null;
  return `${who![0]!.toUpperCase()}${who!.slice(1)} ${says!.replace(/[.!]+$/u, "")}`;
}

/**
 * What an assistant says of its own work: what it did, and what came out. Its advice, its knowledge, its guesses and
 * what it repeats of the user's words are no facts. Pure.
 */
import { isPastForm } from "./verb_forms.ts";

const DID =
  /^(?:i have|i've|i|we have|we've|we)(?: (?:just|now|also|already|successfully|then|both|first|all|not))* (\p{L}+(?:'\p{L}+)?)/iu;
/** Verbs of mind and talk, and forms that are no deed. */
const NO_DEED =
  /^(?:thought|felt|understood|apologi[sz]ed|loved|enjoyed|liked|heard|hoped|wanted|meant|said|told|agreed|appreciated|learned|learnt|assumed|suggested|recommended|mentioned|explained|wondered|imagined|believed|expected|wished|known|knew|been|had|got|was|were|seen|trained|designed|misunderstood|misread|missed|included|listed|described|given|gave|used|kept|grown|lived|supposed|need|forgot)$/iu;
const DONE =
  /^(?:(?:all )?done|committed|pushed|merged|created|updated|fixed|added|removed|deleted|opened|booked|sent|saved|deployed|reverted|renamed|installed|cancelled|canceled|scheduled|rescheduled|refunded|credited|ordered|moved|applied|changed|switched|restarted|migrated|closed|published|uploaded|moved)\b(?!\?)/iu;
/** What is booked, ordered or measured for the user, or came out of a run. */
const RESULT =
  /^(?:(?:the|your|a|an|all|both|\d+)(?: \d+)? )?(?!our )(?:[\p{L}-]+ ){0,3}?(?:order|refund|card|ticket|booking|appointment|room|payment|delivery|parcel|package|account|contract|subscription|invoice|replacement|technician|seat|flight|(?:end |start |due )?date|tariff|rate|price|balance|limit|fee|table|reservation|membership|request|case|build|release|rollout|migration|backup|job|check|status|reminder|voucher|repair|tests?|suite|plan|pipeline|deploy|deployment|branch|commit|pr|pull request|error|query|import|export|upload)s? (?:[\p{L}\d#-]+ ){0,4}?(?:is|are|was|were|has|have|had|will|starts?|ends?|expires?d?|arrives?|comes?|pass|passes|passed|failed|fails|succeeded|runs?|took|finished|returned)\b/iu;
const HAS_VALUE =
  /\d|\b(?:is|was|are|were|has been|have been) (?:now |already )?(?:cancelled|canceled|booked|confirmed|active|expired|blocked|ready|shipped|paid|merged|deployed|failing|green)\b|\b(?:failed|fails|passes|passed|pass|succeeded)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:tomorrow|today)\b/iu;
/** "Swapped: Wednesday is now curry", "Kept release/4.2 because …": a deed without its subject. */
const BARE_DEED = /^(\p{Lu}\p{Ll}+)[: ]/u;
const NAMES_THING = /\d|\p{Lu}|[\p{Ll}\d][._/-][\p{Ll}\d]|\b(?:the|your|all)\b/u;
const NO_BARE_DEED =
  /^(?:based|given|located|compared|provided|combined|followed|served|inspired|aged|roasted|baked|fried|grilled|built|packed|known|set|born|led|left|lost|need|red)$/iu;
/** What has been done to a thing: "The fare difference was waived", "It's all booked", "You're on NF210". */
const PASSIVE =
  /(?:'s|\b(?:is|are|was|were|been))(?: now| already| all)? (?:booked|confirmed|cancelled|canceled|refunded|waived|renewed|extended|upgraded|scheduled|rescheduled|moved|merged|deployed|deleted|removed|restored|reset|blocked|unblocked|activated|deactivated|reserved|paid|credited|shipped|updated|replaced|closed|reopened|fixed|resolved|approved|rejected|transferred|registered|saved|sent|caused|issued|ordered)\b/iu;
const OF_THING = /^(?:the|your|both|all|it|it's|that|that's|this|everything|\d+|\p{Lu}\p{Ll}*\d[\p{L}\d-]*)\b/iu;
const PASSIVE_WITHIN = 80;
const YOUR_STATE =
  /^you(?:'re| are) (?:now )?(?:on|booked|confirmed|registered|enrolled|checked|all set|in (?:room|seat)|signed up)\b/iu;
/** What a search for a fault has found. */
const CAUSE =
  /^(?:it (?:turns|turned) out|(?:the |your )?(?:root |actual |real )?(?:cause|problem|issue|culprit|bug|reason)(?: (?:of|for|behind|with) [\p{L}\d /_.-]{1,50})? was)\b/iu;
/** Advice, general knowledge and offers. */
const ADVISES =
  /\?|\b(?:should|could|might|may|maybe|perhaps|guess|guessed|recommend|suggest|try|consider|would|if|please|usually|generally|typically|often|normally|most|for example|e\.g\.|such as|you can|you need|i can|i could|i'll|let me|feel free|happy to|make sure|about \d|around \d|up to \d|imagine|probably|likely|can be|seems?|looks like)\b/iu;
/** A word of code, a path or a measured value. */
const CODE = /`[^`]+`|[\p{L}\d]+[._/-][\p{L}\d._/-]+|\b\d+\b/u;
const DRAFT = /^(?:dear|hi|hello|hey|subject:|to whom)\b[^.!?]{0,60}[,:]?$|^(?:dear (?:\p{L}+\.? )?\p{Lu})/imu;
const TEXTS =
  "letters?|e?-?mails?|messages?|poems?|stor(?:y|ies)|texts?|lines?|speech|posts?|captions?|reply|replies|toasts?|songs?|essays?|bio|notes?|limericks?|haikus?|scenes?|dialogues?|cards?|blurbs?|drafts?|descriptions?|paragraphs?|invitations?|cover letter|announcements?|review|tweets?|chapters?|script|monologue";
const ASKS_TEXT = new RegExp(
  `\\b(?:write|draft|compose|rewrite|translate|rephrase|reword|proofread|polish|phrase|word)\\b[^.?!\\n]{0,60}\\b(?:${TEXTS})\\b|\\b(?:translate|rewrite|rephrase|proofread|role-?play|pretend)\\b|\\b(?:${TEXTS}) (?:for|to|about) (?:me|my|him|her|them|the)\\b`,
  "iu",
);

/** Whether a sentence of an assistant tells its own work. `raw` has straight apostrophes. */
export function tellsOwnWork(raw: string, isAfterTool: boolean): boolean {
  // "8 May" gives no advice.
  if (ADVISES.test(raw.replace(/\bMay\b/gu, "Mai")) || /^["“]/u.test(raw)) return false;
  const verb = DID.exec(raw)?.[1]?.toLowerCase();
  if (verb !== undefined) {
    const isDeed = isPastForm(verb) || /^(?:put|set|cut|reset|read|split|run)$/.test(verb);
    return isDeed && !NO_DEED.test(verb) && raw.split(" ").length > 3;
  }
  if (DONE.test(raw) && raw.split(" ").length > 2) return true;
  if (/^\d+ (?:tests? )?(?:passed|failed|files? changed)\b/iu.test(raw)) return true;
  if (RESULT.test(raw) && HAS_VALUE.test(raw)) return true;
  const bare = BARE_DEED.exec(raw)?.[1];
  if (
    bare !== undefined && isPastForm(bare.toLowerCase()) && !NO_DEED.test(bare) && !NO_BARE_DEED.test(bare) &&
    (raw[bare.length] === ":" || NAMES_THING.test(raw.slice(bare.length)))
  ) return true;
  if (CAUSE.test(raw) || YOUR_STATE.test(raw) || isPassive(raw)) return true;
  // What a tool has just shown.
  return isAfterTool && CODE.test(raw) && /^(?:the|\p{Lu})/u.test(raw) &&
    /\b(?:is|are|was|were|has|have|listens?|waits?|uses?|runs?|needs?|returns?|contains?|points?|reads?|writes?|fails?|failed|expects?)\b/u
      .test(raw);
}

/** Whether a turn asks for a text, in which "I" is nobody who speaks here. */
export function asksForText(content: string): boolean {
  return ASKS_TEXT.test(content.slice(0, 1_000));
}

const DRAFTS =
  /^(?:[^.:!?]{0,30}[.,!] )?here(?:'s|\u2019s| is) (?:a |an |the |your |my )?(?:\p{L}+ )?(?:draft|message|text|e?-?mail|letter|note|version|reply)\b/iu;

/** Whether a turn is a draft. */
export function isDraft(content: string): boolean {
  return DRAFT.test(content.slice(0, 400)) || DRAFTS.test(content.slice(0, 120));
}

function isPassive(raw: string): boolean {
  return OF_THING.test(raw) && PASSIVE.test(raw.slice(0, PASSIVE_WITHIN));
}

const WROTE = /^(?:done[.,:!] )?(?:wrote|created|saved|added|updated|translated|rewrote)\b/iu;

/** "Wrote docs/notes.md with 12 entries": the text that was asked for is elsewhere. */
export function wroteIt(content: string): boolean {
  const head = content.slice(0, 120);
  return WROTE.test(head) && /[\p{L}\d][._/-][\p{L}\d]|\d/u.test(head);
}

/** Deeds in other languages: "He reservado …", "Ich habe … storniert", "J'ai annulé …". */
const DID_ABROAD =
  /^(?:(?:listo|hecho|claro|bien|c'est fait|fatto|pronto|feito|certo)[,.:!]? )?(?:(?:ya )?(?:te |le |lo |la |se )?(?:he|hemos) (?:ya )?\p{L}{2,12}(?:ado|ido|cho|sto) |(?:j'ai|nous avons) (?:bien )?\p{L}{2,14}(?:é|i|u|it|is) |(?:le |ti |vi )?(?:ho|abbiamo) \p{L}{2,14}(?:ato|uto|ito|sso|sto|tto) |(?:eu )?(?:já )?\p{L}{3,12}ei (?:os?|as?|seu|sua|uma?) |(?:я )?(?:уже )?(?:забронировал|отменил|перенес|перенёс|заказал)\p{L}{0,2} )/iu;
const DID_IN_GERMAN =
  / (?:ge\p{L}{3,16}|storniert|reserviert|aktualisiert|erstattet|verlängert|bestellt|verschoben|eingetragen|vereinbart|abgesagt|umgebucht)[.!]?$/iu;
const DID_UNSPACED = /^(?:已|我已)|(?:ました|いたしました|했습니다|하였습니다|했어요)[。.!]?$/u;
const ADVISES_ABROAD = /[?？]|\b(?:puedes|podrías|kannst|können|könnten|pouvez|peux|puoi|pode)\b/iu;
const CHARS_ABROAD_MAX = 400;

/** Whether a sentence of an assistant in another language tells what it did. */
export function didAbroad(sentence: string): boolean {
  if (sentence.length > CHARS_ABROAD_MAX || ADVISES_ABROAD.test(sentence)) return false;
  return DID_ABROAD.test(sentence) || /^ich habe /iu.test(sentence) && DID_IN_GERMAN.test(sentence) ||
    sentence.length > 8 && DID_UNSPACED.test(sentence);
}

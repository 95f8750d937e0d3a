/**
 * Whether a newer statement says that the matter of the older one has ended: "Sublime is uninstalled", "no longer at Acme".
 * It says so only where a clause with words of ending is mostly about what the older one says; rather nothing than a
 * false end. Pure.
 */
import { FUNCTION_WORDS_BY_LANGUAGE } from "../../../../language/function_words.ts";
import { splitSentences } from "../../../../language/sentences.ts";
import { wordSet } from "../../../../language/word_set.ts";
import { isStopWord, listWords, stemWord } from "../../../../language/tokenise.ts";

const word = (pattern: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, "iu");

/** That something takes place no more; in any clause that denies nothing. */
const CALLED_OFF = new RegExp(
  word(
    "cancel+ed|called off|abgesagt|annulée?s?|cancelad[oa]s?|annullat[oaie]|afgezegd|geannuleerd|odwołan[aeoy]|" +
      "отмен(?:ил|или|ён|ен|ена|ено|ены)",
  ).source + "|中止|取消|취소",
  "iu",
);
/** That somebody or something has stopped. */
const STOPPED = new RegExp(
  word(
    "uninstalled|unsubscribed|discontinued|deactivated|scrapped|ditched|(?:gave|given) up(?: on)?|quit|got rid of|done with|" +
      "shut down|closed down|broke up|stopped(?! (?:by|at|in|for|over) )|gekündigt|aufgehört|aufgegeben|abgemeldet|deinstalliert|résiliée?|arrêtée?|" +
      "abandonnée?|désinstallée?|cancelé|dejé(?: de)?|desinstalé|disdett[oa]|smesso(?: di)?|disinstallat[oa]|cancelei|parei de|" +
      "desisti(?: de)?|opgezegd|gestopt|zrezygnował[ae]m|rzucił[ae]m|przestał[ae]m|бросил[аи]?|перестал[аи]?",
  ).source + "|(?<=(?:is|are|['’]s|its|was|were) (?:all |finally )?)over\\s*$|やめた|解約|戒了|退订|그만뒀|끊었",
  "iu",
);
/** That it is so no longer, where words are not set apart. */
const NO_LONGER_CJK = /不再|더 이상/u;
/** That it is so no longer. */
const NO_LONGER = new RegExp(
  word(
    "no longer|any ?more|nicht mehr|kein(?:e[nmrs]?)? (?:[\\p{L}-]+ ){1,3}mehr|(?:ne |n['’])(?:[\\p{L}-]+ ){1,3}plus|ya no|" +
      "non (?:[\\p{L}-]+ ){1,3}più|não (?:[\\p{L}-]+ ){1,3}mais|já não|niet meer|geen (?:[\\p{L}-]+ ){1,3}meer|" +
      "już nie|больше не|уже не",
  ).source + `|${NO_LONGER_CJK.source}`,
  "iu",
);
/** What is so no longer where things go on. */
const SHUT = word(
  "closed|shut|broken|down|off|blocked|banned|geschlossen|kaputt|gesperrt|fermée?|cassée?|cerrad[oa]|rot[oa]|chius[oa]",
);
/** What makes an end a wish, a plan, a question, a condition or a doubt, in the whole sentence. */
const UNSURE = new RegExp(
  word(
    "if|when|unless|until|till|whether|maybe|perhaps|might|may|could|would|should|will|won['’]?t|(?:['’]|i|we|it|they)ll|almost|nearly|" +
      "about to|going to|gonna|wan(?:t|ts|ted|na)|plans?|planning|hop(?:e|ing)|wish|think(?:ing)?|thought|consider(?:ing)?|tempted|" +
      "jok(?:e|ing)|kidding|dreamt|rumou?rs?|again|back|wenn|falls|ob|vielleicht|fast|würde|wird|werde|wieder|si|peut-être|presque|" +
      "va|vais|veux|quizás?|casi|voy a|quiero|se|forse|quasi|voglio|talvez|quase|vou|quero|als|misschien|bijna|wil|zal|" +
      "może|prawie|jeśli|chcę|если|может|почти|хочу|снова",
  ).source + "|[?？]|かも|たら|如果|也许|可能|想|만약|아마",
  "iu",
);
const DENIED = word(
  "not|never|no|nothing|nobody|(?:is|are|was|were|has|have|had|do|does|did|ca)n['’]?t|nicht|nie|kein\\p{L}*|pas|jamais|" +
    "non|mai|não|nunca|niet|nooit|geen|nigdy|не|никогда",
);
/** A single day on which something does not take place. */
const ONE_DAY = new RegExp(
  word(
    "today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|month|time)|next|heute|morgen|diese|aujourd['’]hui|demain|cette|" +
      "hoy|mañana|esta|oggi|domani|questa|hoje|amanhã|vandaag|dziś|jutro|сегодня|завтра",
  ).source + "|今日|明日|今天|明天|오늘|내일",
  "iu",
);
const FIRST_PERSON = word(
  "i|i['’]?m|my|me|mine|we|our|us|ich|mein\\p{L}*|wir|unser\\p{L}*|je|mon|ma|mes|nous|ik|mijn|wij|ons",
);
const THIRD_PERSON = word("he|she|they|his|her|their|er|il|elle|ils|elles|hij|zij|zijn|haar|он|она|они");
const CLAUSE_END =
  /[,;:()…–—\n]|\s-\s|(?<![\p{L}\p{N}])(?:but|and|so|because|since|cos|cuz|then|aber|und|weil|mais|et|pero|y|ma|perché|e|en|maar|ale|i|но|и)(?![\p{L}\p{N}])|、/iu;
/** What ended is at least this part of what the older statement says: the end of a side remark is not its end. */
const PART_MIN = 0.2;
/** A word between the members of a list. */
const AND = /^(?:and|or|und|oder|et|ou|y|o|e|en|of|i|и)$/iu;
/** What stands between the words of a text and joins no members of a list. */
const NO_JOINT = /[^\s,&/+]/u;

/** Words that say little, besides the English stop words, which analysis takes out. */
const SMALL_WORDS = wordSet(
  "get got go going good do mache machen macht gehe gehen geht andare fare finally already since longer anymore nicht mehr plus più meer больше уже 我 de het een mijn ik we wij op in bij naar van na do się jest już mój moja в на с к я мы мой моя и не",
)
  .union(Object.values(FUNCTION_WORDS_BY_LANGUAGE).reduce((all, words) => all.union(words), new Set<string>()));

/** @param newer the text of the newer statement, of which a clause may tell of the end */
export function tellsEnd(older: string, newer: string): boolean {
  if (stopsAnything(older)) return false;
  const known = wordsOf(older);
  return splitSentences(newer).some(({ start, end }) => {
    const sentence = newer.slice(start, end);
    if (!stopsAnything(sentence) || UNSURE.test(sentence) || isOfOthers(older, sentence)) return false;
    return sentence.split(CLAUSE_END).some((clause) => endsMatter(clause, older, known));
  });
}

function stopsAnything(text: string): boolean {
  return [CALLED_OFF, STOPPED, NO_LONGER].some((words) => words.test(text));
}

function endsMatter(clause: string, older: string, known: ReadonlySet<string>): boolean {
  const off = CALLED_OFF.test(clause), stopped = STOPPED.test(clause), noLonger = NO_LONGER.test(clause);
  // "not cancelled any more" says that it goes on.
  if (!off && !stopped && !noLonger || noLonger && (off || stopped || SHUT.test(clause))) return false;
  if (!noLonger && DENIED.test(clause) || off && ONE_DAY.test(clause)) return false;
  const rest = [CALLED_OFF, STOPPED, NO_LONGER_CJK].reduce((text, words) => text.replace(words, " "), clause);
  const words = wordsOf(rest), shared = words.intersection(known);
  // "The app no longer crashes on Firefox" tells of the end of something else.
  const isAll = noLonger && !NO_LONGER_CJK.test(clause);
  const isAboutIt = isAll ? shared.size === words.size : shared.size > words.size / 2;
  return isAboutIt && shared.size >= known.size * PART_MIN && !isOneOfList(older, shared);
}

/** One speaks of the speaker, the other of somebody else. */
function isOfOthers(older: string, newer: string): boolean {
  const isOther = (a: string, b: string) => FIRST_PERSON.test(a) && THIRD_PERSON.test(b) && !THIRD_PERSON.test(a);
  return isOther(older, newer) || isOther(newer, older);
}

/** Whether the older statement names what ended beside other things, which may go on. */
function isOneOfList(older: string, shared: ReadonlySet<string>): boolean {
  const has = (one: string) => !wordsOf(one).isDisjointFrom(shared);
  let left: string | undefined;
  let isJoined = false;
  // The words stand at the odd places.
  for (const [i, part] of older.split(/([\p{L}\p{N}]+)/u).entries()) {
    if (i % 2 === 0) {
      if (NO_JOINT.test(part)) left = undefined;
      else if (part.trim() !== "") isJoined = true;
    } else if (AND.test(part)) {
      isJoined = true;
    } else {
      if (left !== undefined && isJoined && has(left) !== has(part)) return true;
      left = part;
      isJoined = false;
    }
  }
  return false;
}

/** The words that say what a text is about. */
function wordsOf(text: string): Set<string> {
  const words = listWords(text, "search").filter((one) => !isStopWord(one, "search") && !SMALL_WORDS.has(one));
  return new Set(words.map((one) => stemWord(one, "search")));
}

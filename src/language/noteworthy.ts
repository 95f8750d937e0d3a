/**
 * Decides whether a sentence that no pattern of the table matches says something worth keeping: it is about a named or
 * owned thing, in a finite clause, and neither judges nor advises, wonders or jokes. Pure.
 */
import { FUNCTION_WORDS } from "./name_words.ts";
import { isCommonBase, isPastForm, leansPast } from "./verb_forms.ts";
import { listContentStems } from "./tokenise.ts";

/** Matches words that take back what was just said. */
export const TAKEN_BACK =
  /\b(?:just kidding|only kidding|i'?m kidding|jk|i'?m joking|only joking|just joking|just a joke|i jest|jesting|in jest|pulling your leg|kid you|nur spaß|war ein scherz|nur ein scherz|es broma|era broma|je rigole|je plaisante|c'est une blague|sto scherzando|stavo scherzando|è uno scherzo|brincadeirinha|tô brincando|just an idea|just a thought|thinking aloud|thinking out loud|one can dream|scratch that|forget (?:it|that|what i said)|never ?mind that|(?:was|were) (?:just |only )?(?:pranking|joking|kidding|messing with)|made (?:that|it) up|was a (?:joke|prank)|that's not true)\b|^(?:kidding|joke[!.]|haha,? no)\b/iu;

/** Asks to keep nothing of a message. */
export const FORBIDS =
  /\b(?:don'?t|do not|never) (?:ever )?(?:store|save|remember|record|note|write down|log) (?:this|that|it|any of (?:this|that|it))\b(?! (?:in|as|under|to)\b)|\boff the record\b|\b(?:nicht|nichts davon) (?:speichern|merken|aufschreiben)\b|\bno (?:guardes|anotes|apuntes) (?:esto|nada)\b|\bne (?:note|retiens|garde) (?:pas|rien)\b|\bnon (?:salvare|annotare|memorizzare)\b|\bnão (?:guarde|anote|salve) (?:isso|nada)\b/iu;

/** The longest message that is left out as a whole because a part of it asks for that. */
const FORBIDDEN_CHARS_MAX = 400;

/** Whether a user asks to keep nothing of a message; of a long one, only the sentence that asks is meant. */
export function forbidsAll(content: string): boolean {
  return content.length <= FORBIDDEN_CHARS_MAX && FORBIDS.test(content);
}

/** An assistant's word for having undone what it did last. */
export const UNDONE =
  /^(?:(?:ok|okay|sure|alright|done)[,.!] )?(?:cancelled|canceled|undone|reverted|storniert|annulé|cancelado|annullato)[.!]*$/iu;

/** "I wish I was joking" takes back nothing. */
export const MEANT =
  /\b(?:not|isn't|wasn't|ain't|wish (?:i|it) (?:was|were)|no|never) (?:an? )?(?:just )?(?:joking|kidding|joke)\b/iu;

/** Those that take back what the speaker said a turn before. */
export const JOKED =
  /\b(?:kidding|joking|jest|jesting|jk|spaß|scherz|broma|rigole|plaisante|scherzo|scherzando|brincando|pranking|messing with|scratch that|never ?mind that|made (?:that|it) up|forget what i said)\b/iu;

/** Words for what would be, could be or is imagined. */
export const IMAGINED =
  /^(?:imagine|suppose|supposing|what if|picture this|let's say|in theory|hypothetically|ideally|if only|wish)\b|\b(?:if (?:i|we|you|he|she|it|they) (?:were|had|won|win|could)|as if|i'd kill for|in a parallel universe|i dreamt|in my dream)\b|\b(?:could|might|would|'d) (?:maybe |perhaps |also |probably |never |just )?(?!like|love|prefer|rather|have to|expect)[a-z]+\b/iu;

const JUDGES =
  /\b(?:is|are|was|were|'s(?! best \p{L})|'ll be|will be|would be|sounds?|looks?|seems?|feels?|tastes?) (?:(?:so+|really|very|such|pretty|too|just|all|quite|[a-z]+ly|always|also|still|a bit|a little|kind of|one|that|super|not just|not|more than|been|must have been) )*(?:an? |the |my )?(?:great|nice|good|fun|cool|awesome|amazing|lovely|beautiful|perfect|sweet|funny|crazy|sad|bad|fine|ok|okay|huge|wonderful|fantastic|impressive|typical|normal|ambitious|exciting|star|legend|best|worst|mess|right|sure|true|fair|shame|pity|interesting|inspiring|incredible|adorable|gorgeous|brilliant|happy|glad|ugly|terrible|awful|horrible|weird|strange|hilarious|important|worth|easy|hard|big deal|tough|far away|magical|special|powerful|thoughtful|meaningful|rewarding|peaceful|relaxing|refreshing|tasty|delicious|yummy|cute|stunning|unreal|insane|priceless|comforting|the point(?! of contact)|key|essential|crucial|vital|about|one of (?:those|the)|part of(?! (?:the|our|my|an?) (?:[\p{L}-]+ )?(?:team|crew|squad|band|choir|club|group|board|committee|ensemble|pilot|staff|union)\b)|way of|proof|reminder|such|responsibility|electric|like|what|why|all about|worthwhile|meant|possible|welcome)\b/iu;
const SPECIFIC =
  /\d|\p{Ll}['’]s \p{L}|\b(?:half past|quarter|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|eighty|hundred|thousand|million|percent|first|second|third|daily|weekly|monthly|every|each|called|named)\b/iu;
const FINITE =
  /\b(?:is|are|was|were|has|have|had|will|won't|can|can't|cannot|does|doesn't|do|don't|did|didn't|isn't|aren't|wasn't|weren't|must|mustn't|should|may|am)\b/iu;
const OWN_VERB = /^(?:i|we|they|you|he|she) (?:[a-z]+ly |also |still |now |only )?[a-z]{2,}\b/iu;
/** A subject of a few words, and a verb in the third person. */
const SUBJECT_VERB =
  /^(?:(?:[Tt]he|[Mm]y|[Oo]ur|[Aa]n?) (?:[\p{L}\d-]+ ){1,3}|\p{Lu}[\p{L}\d.-]+(?:'s(?: [\p{L}-]+){1,2})?(?: \p{Lu}[\p{L}.-]+)? )(?:also |only |always |never |usually |still |now |often )?(?!(?:this|his|its|us|always|sometimes|perhaps|besides|plus|less|as|yes|requests|lines|notes|news|thanks)\b)[a-z]{2,18}[^s\W_u]s\b/u;
/** Sentences that speak to the listener or about the talk. */
const TALKS =
  /\bplease!*$|^(?:omg|thanks?|thank you|thx|sorry|please|congrat\w*|then (?:come|go|take|bring|call|try|give|ask|tell|let)|come back|welcome|good (?:luck|morning|night|evening)|have (?:a|fun)|enjoy|take care|see you|talk|bye|hope|hang|wait|look|listen|guess|tell|say|let|check|come on|go|keep|don't|never|get well|fingers crossed|happy|glad|proud|excited|no (?:problem|worries|way)|sounds|looks|same|me too|of course|sure|right|exactly|true|what|how|why|who|where|when|which|whose|that|this|these(?! days)|those|it|there|here|everything|nothing|something|anything|life|one thing|any)\b/iu;

/** "I no longer eat meat, so dinner will be interesting": the judgement is an afterthought. */
const AFTERTHOUGHT = /^(.{12,}?),? (?:so|but|which|because) \S/iu;
/** "The hose is broken again.", "The order has arrived.", "The deploy failed." */
const STATE =
  /^(?:the (?!(?:moment|time|day|feeling|mood)\b)|\p{Lu}[\p{L}.-]+'s )[\p{L}-]+(?: [\p{L}-]+)? (?:(?:is|are|was|were|has|have|has been|have been|is being|are being) (?:still |already |now |again |finally |just )?[a-z]{3,}(?:ed|en|wn|ne)\b|(?:failed|passed|succeeded|lapsed|expired|landed|arrived|shipped|crashed|went (?:out|through|live|up|down)|came through)\b)/iu;
/** Stems of words of praise and encouragement; sentences of such words state hardly anything. */
const ABSTRACT: ReadonlySet<string> = new Set(
  listContentStems(
    `love joy happiness support growth passion dream journey courage energy motivation inspire inspiration kindness
    difference community memory moment positive positivity strength life world best special important heart feeling feel
    emotion believe belief hope peace calm connection connect bond impact effect challenge creative creativity express
    expression experience meaningful meaning share sharing encourage encouragement grateful thankful appreciate amazing
    awesome incredible beautiful proud power powerful success goal effort hard together stronger better grow learn lesson
    understanding acceptance accept accepted alone vibe atmosphere fun great good cool way thing stuff people everyone
    remind motivate keep going push try success dedication fulfil fulfilling fulfillment relief excited excitement worry
    perspective appreciation smile laugh tough resilience balance relax relaxing refreshing comfort comfortable stress`,
    "prose",
  ),
);
const GENERIC =
  /^(?:[\p{L}-]+ing(?! (?:\S+ ){0,3}?(?:is|are) (?:no longer |not |now )?(?:allowed|permitted|forbidden|prohibited|banned) (?:on|in|at|here|for)\b)|art|music|love|family|nature|life|friendship|change|people|everyone|everything|sometimes|even)\b|\b(?:can|must) (?:be|have|have been|definitely|really)\b|\b(?:we|us) (?:should )?all\b|\b(?:doing|did|do|gave it|try|tried) (?:my|our) (?:best|all)\b|\bcan't wait to (?:catch|chat|hear|see|talk|hang|read|show|share|tell)\b|^(?:some|crazy|cool|lots of|a lot of|so much|such)(?: \p{L}+){0,2} (?:stuff|things?)\b|\b(?:keep|keeps|kept) (?:going|pushing|doing|chasing|working|trying|moving|bouncing)\b|^(?:exciting|like) |\b(?:happened|changed|going on)\b.*\bsince\b|\bsince (?:we|i|our) last\b|,? as (?:they|people|my \p{L}+|the saying) (?:always )?(?:says?|goes)\b/iu;

/** Whether a sentence praises, encourages or says what always holds, and names nothing by which it could be found. */
export function isVague({ raw, text, speakers, isDated }: Sample): boolean {
  if (isDated || /\d/.test(raw) || namesOthers(text, speakers)) return false;
  if (GENERIC.test(raw)) return true;
  const stems = listContentStems(raw, "prose");
  return stems.filter((stem) => ABSTRACT.has(stem)).length >= Math.max(2, stems.length * 0.4);
}

/** Phrases that do not mean what they say literally. */
export const SAYINGS =
  /\bwalks? into a (?:bar|pub)\b|^(?:i (?:can't|can hardly) (?:stop laughing|keep up|even)\b|i (?:live|must live) under a rock|my (?:lips are|mind is blown|heart (?:goes|is|melts)|jaw|goodness|word)\b|(?:i|we) (?:always|never) [a-z]+[.!]*$)/iu;
export const CHATS =
  /^(?:i|we) (?:[a-z]+ly |so |really |just |also |do |can |can't |don't |never |always )*(?:agree|see|know|understand|bet|hope|think so|guess|feel|hear you|get it|get you|appreciate|mean|doubt|wonder|imagine|believe|wish|promise|swear|remember when|forgot|admire|envy|thank|stop laughing|keep up|tell)\b/iu;

export interface Sample {
  /** As the speaker said it, without its lead-in. */
  readonly raw: string;
  /** With names in place of pronouns. */
  readonly text: string;
  /** Names of the speakers; a sentence that names only them is not specific. */
  readonly speakers: readonly string[];
  readonly isDated: boolean;
}

/** The confidence that a sentence states a fact, from 0.5; 0: it states none. */
export function weighTelling({ raw, text, speakers, isDated }: Sample): number {
  if (TALKS.test(text) && !/^there(?:'s| is| are| was| were) \S+ \S/iu.test(text)) return 0;
  if (CHATS.test(raw)) return 0;
  if (!hasFiniteVerb(raw) && !SUBJECT_VERB.test(text)) return 0;
  const stems = listContentStems(text, "prose");
  if (stems.length < 2) return 0;
  const isSpecific = isDated || SPECIFIC.test(raw) || namesOthers(text, speakers);
  if (isJudgement(raw) || isVague({ raw, text, speakers, isDated })) return 0;
  // A sentence about what "it" does to people is a judgement, too.
  if (
    /^it (?:really |always |also |just |truly |even )*(?:makes?|made|helps?|helped|reminds?|reminded|gives?|gave|brings?|brought|feels?|felt|means?|meant|shows?|took|takes|inspires?|inspired)\b/iu
      .test(raw)
  ) return 0;
  if (STATE.test(text) || (SUBJECT_VERB.test(text) && /\b(?:me|my|us|our)\b/iu.test(raw))) return 0.55;
  if (!isSpecific && stems.length < 4) return hasPlainSubject(text) && stems.length >= 3 ? 0.55 : 0;
  // "Quality takes time" always holds; "Frida had a cough" is about one person.
  if (
    !isSpecific && !OWN_SUBJECT.test(text) &&
    !speakers.some((name) => text.toLowerCase().startsWith(name.toLowerCase()))
  ) {
    return leansPast(raw) ? 0.55 : 0;
  }
  return isSpecific ? 0.65 : 0.55;
}

/** Whether a sentence only judges. */
export function isJudgement(raw: string): boolean {
  return JUDGES.test(AFTERTHOUGHT.exec(raw)?.[1] ?? raw) && !/\d/.test(raw);
}

/** Whether an English text has a finite verb, as a statement does and a title mostly does not. */
export function hasFiniteVerb(text: string): boolean {
  return FINITE.test(text) || OWN_VERB.test(text) || hasPlainVerb(text) || SUBJECT_VERB.test(text) ||
    (text.toLowerCase().match(/[a-z']+/g) ?? []).some((word, i) => i > 0 && isPastForm(word)) ||
    /\b(?:i|it|he|she|we|you|they|that|there|what|who)'(?:s|re|m|ve|ll)\b/iu.test(text);
}

/**
 * Matches a specific subject: with an article, an owner or a number, two names, an acronym, or a name before a verb.
 */
const OWN_SUBJECT =
  /^(?:(?:[Tt]he|[Aa]n?|[Tt]here|[Bb]oth|[Tt]wo|[Tt]hree|\d+)\b|\p{Lu}[\p{L}.-]+'s |\p{Lu}[\p{L}.-]+ (?:and )?\p{Lu}|\p{Lu}{2,}|\p{Lu}\p{L}+ (?:is|has|had|was|mustn't|can't|doesn't|isn't) )/u;

/** A common verb in its base form, as after a plural: "the kids live with me". */
function hasPlainVerb(text: string): boolean {
  const words = text.toLowerCase().match(/[a-z']+/g) ?? [];
  return words.some((word, i) =>
    i > 0 && isCommonBase(word) && /[a-z]{2}s$|^(?:parents|kids|children|people)$/.test(words[i - 1]!)
  );
}

function hasPlainSubject(text: string): boolean {
  return /^(?:the |\p{Lu}[\p{L}.-]+(?:'s)? )/iu.test(text) && !FUNCTION_WORDS.has(text.split(" ")[0]!.toLowerCase()) ||
    /^the /iu.test(text);
}

/** Whether the text contains a name other than those of the speakers, apart from its first word. */
function namesOthers(text: string, speakers: readonly string[]): boolean {
  const names = text.slice(1).match(/(?<=[\s("])\p{Lu}[\p{L}\d.-]+/gu) ?? [];
  return names.some((name) => !speakers.some((speaker) => speaker.includes(name.replace(/['’]s$/u, ""))));
}

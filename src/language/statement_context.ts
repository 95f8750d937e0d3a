/** Finds the sentences without which a reader could not tell what a statement of a turn is about. Pure. */
import { type ConversationTurn, speakerLabel } from "./conversation.ts";
import { skipLead } from "./discourse_markers.ts";
import { type Anaphor, isAbout, tellsApart } from "./anaphora.ts";
import type { Span } from "./sentences.ts";
import {
  asksClearly,
  gistOf,
  isOfBareThing,
  isSocial,
  isUnreal,
  leansOnLast,
  matterOf,
  pointsBack,
  pointsToLast,
  shorten,
  standsAlone,
} from "./self_contained.ts";
import { aboutWhat, type Ground, inOrder, leaves, type Said, type TalkReading, tells } from "./talk.ts";

/** Sentences that are looked back over for what a word points to, and of how many of them it may take to tell. */
const LOOK_BACK_MAX = 10;
const CONTEXT_MAX = 3;
/** Earlier sentences that are kept for reading, and how many of a talk may hold what it is about. */
export const SAID_MAX = 60;
const NEAR_MAX = 14;
/** How far back a talk began that is still about the same where what was said directly before tells of something. */
const RECENT_MAX = 6;
/** The longest message that is quoted whole before a statement, and all that is quoted. */
export const GIST_CHARS_MAX = 200;
const QUOTED_CHARS_MAX = 480;
/** Turns before, at most, which are quoted to make a statement understood; other turns that a statement may cite. */
const HOPS_MAX = 3;
const TURNS_MAX = 4;
/** How many sentences before a word may be what it points to. */
const REACH: Readonly<Record<Anaphor, number>> = {
  any: 1,
  it: 1,
  they: 3,
  people: 6,
  he: LOOK_BACK_MAX,
  she: LOOK_BACK_MAX,
};
/** "When?", but not "seriously?" */
const ASKS_PART = /\b(?:who|whose|what|when|where|which|how)\b/iu;
/** A question that asks for nothing in particular. */
const OFFERS =
  /\b(?:help|assist)\b|\banything else\b|\bhow are you\b|\bhelfen\b|\bayudar|\baider\b|\baiutar|\bajudar|お手伝い|帮|помочь/iu;
/** How a message begins that turns to another matter. */
export const SHIFTS =
  /^(?:(?:ok|oh|and|so)[,.]? )?(?:btw|by the way|(?:one |an)?other thing|(?:different|new|next) topic|unrelated|something else)\b/iu;
/** How a message begins that adds what was not spoken of: "oh and mehndi moved", "also my bike got nicked". */
const ADDS =
  /^(?:(?:oh|ah|right|ok)[,.]? )*(?:(?:and|but) also|also|oh,? (?:and|yeah|yes)|and by the way)\b(?! (?:it|that|this|they|he|she|there|for)\b)[,:]? (?=\p{L}+ \p{L}+ )/iu;
/** The same, where the talk goes on about that matter. */
const OTHER_MATTER =
  /^(?:(?:ok|oh|and|so|super|right)[,.]? )?(?:(?:one |an)?other (?:thing|matter|question)|(?:different|new|next) (?:topic|thing|item|question)|next up|next(?=:)|unrelated|something else|item (?:\d|one|two|three|four|five|six)|(?:second|third|last|final) (?:thing|item|question)|was anderes|andere sache|otra cosa|autre chose|outra coisa|altra cosa)\b/iu;
/** "The demo is on Friday" names its subject. */
const OWN_SUBJECT = /^(?:the|our) \p{L}/iu;
/** "Movers: Kowalski" says of itself what it is about. */
const HAS_LABEL = /^(?:(?:ok|and|so) )?\p{L}[\p{L}' ]{2,24}: \S/iu;
/** The longest stretch of a turn that is kept as one statement. */
export const STRETCH_CHARS_MAX = 600;

/** What is taken for known: a thing with "the", or a name. */
const KNOWN =
  /\b(?:the|that|those|these) (\p{Ll}{3,})(?! (?:of|who|that|which)\b)|(?:^|[,;.] |\band )(\p{Lu}\p{Ll}{2,})(?= (?:is|was|has|can|will|does|did|\p{Ll}+(?:s|ed))\b)/gu;
const NAMERS_MAX = 2;
const TOPIC_MATTER_MIN = 2;
const NUMBERS = /\d+(?:[.,:]\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/gu;
const ACKNOWLEDGED_WORDS_MAX = 4;
const NOTES =
  /^(?:i have|i've|i)? ?(?:now |just )?(?:noted|saved|stored|recorded|remembered|logged|added|updated|marked)\b/iu;
/** How an assistant begins that tells no deed. */
const REPEATS =
  /^(?:so |ok(?:ay)?,? |then )*(?:the |your |that's |that is )?(?:[\p{L}-]+ ){1,4}(?:is|are)(?: now)? (?!\p{L}+ed\b)/iu;
const NUMBERS_IN = /\d/u;
const DEED = /^(?:(?:i have|i've|i|we have|we've|we) )?(?:(?:just|now|also|already) )?[\p{L}'-]+/iu;

/** Whether a talk goes on about what a sentence begins. */
export function turnsTo(sentence: string): boolean {
  return OTHER_MATTER.test(sentence);
}

/** Whether a sentence speaks of somebody whom it does not name. */
function meansSomebody(one: Said): boolean {
  return leaves(one).some((anaphor) => anaphor === "he" || anaphor === "she");
}

/** What was said around one turn. */
export class Context {
  readonly #turn: ConversationTurn;
  readonly #reading: TalkReading;
  readonly #plain: string;
  readonly #isForeign: boolean;

  /** @param plain the turn's content with straight apostrophes */
  constructor(turn: ConversationTurn, reading: TalkReading, plain: string, isForeign: boolean) {
    this.#turn = turn;
    this.#reading = reading;
    this.#plain = plain;
    this.#isForeign = isForeign;
  }

  /** The question that another speaker has just asked. */
  question(): Said | undefined {
    const last = this.#reading.said.at(-1);
    const isAsked = last?.isQuestion === true && speakerLabel(last.turn) !== speakerLabel(this.#turn) &&
      (ASKS_PART.test(last.plain) || aboutWhat(last).size > 0 || this.#isForeign);
    return isAsked && !OFFERS.test(last.plain) && !SHIFTS.test(this.#plain) && !ADDS.test(this.#plain)
      ? last
      : undefined;
  }

  /**
   * Finds the sentences that tell what the anaphors mean; undefined: nobody can tell.
   * @param known sentences that the statement needs in any case
   */
  ground(own: Span, anaphors: readonly Anaphor[], known: readonly Said[] = []): Ground | undefined {
    const before = [...known];
    const said = this.#reading.said;
    const all = [...new Set([...anaphors, ...known.flatMap(leaves)])];
    let open = all.filter((anaphor) => anaphor === "any" || !known.some((one) => tells(one, anaphor)));
    for (let back = 1; back <= Math.min(said.length, LOOK_BACK_MAX) && open.length > 0; back++) {
      const one = said[said.length - back]!;
      if (before.includes(one)) continue;
      const near = open.filter((anaphor) => back <= REACH[anaphor] + known.length && this.#mayGround(one, anaphor));
      const closed = near.filter((anaphor) => tells(one, anaphor));
      // "He" and "she" are two persons.
      if (closed.includes("he") && closed.includes("she") && !tellsApart(one.plain)) return undefined;
      if (closed.length === 0) continue;
      before.unshift(one);
      const other = closed.some((anaphor) => (anaphor === "he" || anaphor === "she") && !isAbout(one.plain, anaphor))
        ? this.#findTopic(said.length - back, closed)
        : undefined;
      // "I go with my aunt. She comes home on Sunday": the talk may be about somebody else, so both are quoted.
      if (other !== undefined && !before.includes(other)) before.unshift(other);
      if (before.length > CONTEXT_MAX) return undefined;
      open = [...new Set([...open.filter((anaphor) => !closed.includes(anaphor)), ...leaves(one)])];
    }
    if (open.length === 0) return this.join(own.start, before);
    // Of whom "she" speaks only a name tells; what "it" or "there" means is most often what was said directly before.
    const last = said.at(-1);
    if (last === undefined || open.some((anaphor) => anaphor === "he" || anaphor === "she" || anaphor === "people")) {
      return undefined;
    }
    const near = last.turn === this.#turn ? [last] : this.gist(last.turn);
    const matter = () => matterOf(near.map(({ plain }) => plain).join(" ")).size;
    for (const turn of this.turnsBefore().slice(last.turn === this.#turn ? 0 : 1, HOPS_MAX)) {
      if (matter() < 2) near.unshift(...this.gist(turn));
    }
    if (matter() < 2) return undefined;
    return this.join(own.start, [...new Set([...near, ...before])].sort(inOrder));
  }

  /** An earlier sentence of the same speaker that is about somebody whom the anaphors may mean. */
  #findTopic(end: number, anaphors: readonly Anaphor[]): Said | undefined {
    const label = speakerLabel(this.#turn);
    const from = Math.max(0, this.#reading.said.length - 2 * LOOK_BACK_MAX);
    return this.#reading.said.slice(from, end).findLast((one) =>
      speakerLabel(one.turn) === label && anaphors.some((anaphor) => tells(one, anaphor) && isAbout(one.plain, anaphor))
    );
  }

  /** Whom a user speaks of, the user has named; an assistant may ask. */
  #mayGround({ turn, isQuestion, plain }: Said, anaphor: Anaphor): boolean {
    if (isUnreal(plain)) return false;
    return turn.role === "user" || isQuestion || this.#turn.role === "assistant" || anaphor === "it" ||
      anaphor === "any";
  }

  /** Begins the statement with the first of the sentences that its own turn says, if they are near. */
  join(start: number, before: readonly Said[]): Ground {
    const own = before.filter(({ turn, span }) => turn === this.#turn && span.start < start);
    const first = own[0]?.span.start ?? start;
    if (start - first > STRETCH_CHARS_MAX) return { start, before };
    const from = own.length === 0 ? start : first + skipLead(this.#plain.slice(first, start));
    return { start: from, before: before.filter(({ turn }) => turn !== this.#turn) };
  }

  /** What another turn said, in short. */
  gist(turn: ConversationTurn): Said[] {
    return gistOf(this.#reading.said.filter((one) => one.turn === turn && !isUnreal(one.plain)), GIST_CHARS_MAX);
  }

  /** The turns before this one, the latest first. */
  turnsBefore(): ConversationTurn[] {
    const turns = new Set<ConversationTurn>();
    for (const { turn } of this.#reading.said.slice(-SAID_MAX).reverse()) if (turn !== this.#turn) turns.add(turn);
    return [...turns];
  }

  /** Adds the sentences without which a reader could not tell what a statement is about. */
  stand(own: Span, { start, before }: Ground): Ground {
    const isWork = this.#turn.role === "assistant";
    const words = this.#plain.slice(start, own.end);
    const isOpen = before.length === 0
      ? !standsAlone(words) || this.#reading.isServed && isOfBareThing(words)
      : before.some(({ plain, isQuestion }) => isQuestion ? !asksClearly(plain) : !standsAlone(plain));
    const isOfTalk = this.#reading.isServed && before.length > 0;
    const chosen = new Set(before);
    const namers = isWork || standsAlone(words) ? [] : this.#namersOf(words, before);
    this.#choose(chosen, namers);
    if (!isOpen && !isWork && !isOfTalk) return this.join(start, [...chosen].sort(inOrder));
    if (!isWork && !standsAlone(words)) {
      for (const one of this.#reading.said.slice(-CONTEXT_MAX).reverse()) {
        if (one.turn !== this.#turn || own.end - one.span.start > STRETCH_CHARS_MAX || meansSomebody(one)) break;
        if (one.span.start < start) chosen.add(one);
        if (standsAlone(one.plain)) break;
      }
    }
    const turnsAway = this.#turn.role === "user" &&
      (SHIFTS.test(this.#plain) || SHIFTS.test(words) || turnsTo(words) || ADDS.test(words) && !pointsBack(words));
    if (!turnsAway) this.#addTalk(chosen, words, isOpen, before, namers.length > 0);
    return this.join(start, [...chosen].sort(inOrder));
  }

  /** Adds what was said directly before, if the words go on from it, and what the talk is about. */
  #addTalk(chosen: Set<Said>, words: string, isOpen: boolean, before: readonly Said[], isNamed: boolean): void {
    const isWork = this.#turn.role === "assistant";
    const { isServed } = this.#reading;
    const turns = this.turnsBefore();
    const isOther = before.some(({ text }) => SHIFTS.test(text));
    // An assistant's deed stands behind the request.
    const from = isWork ? Math.max(0, turns.findIndex(({ role }) => role === "user")) : 0;
    const [last, previous] = turns.slice(from).map((turn) => this.gist(turn))
      .filter((gist) => this.#isOfTalk(gist, words));
    const isAsked = last?.at(-1)?.isQuestion === true && speakerLabel(last[0]!.turn) !== speakerLabel(this.#turn);
    const goesOn = before.length > 0 || isAsked || isServed && isOfBareThing(words) && !HAS_LABEL.test(words) ||
      (isNamed || HAS_LABEL.test(words) ? pointsBack(words) : leansOnLast(words));
    const isNeeded = isWork || isOpen && goesOn;
    const isRelated = this.#isRelated(words, last ?? [], before);
    const sharer = isServed && !isWork && !isAsked && before.length === 0 && !pointsBack(words)
      ? this.#findSharer(words)
      : undefined;
    if (sharer !== undefined) {
      return this.#choose(chosen, standsAlone(sharer.plain) || isOther ? [sharer] : [...this.#topic(), sharer]);
    }
    if (isNeeded && isRelated && last !== undefined) this.#choose(chosen, last);
    const isClear =
      last?.some(({ plain, isQuestion }) => isQuestion ? asksClearly(plain) : standsAlone(plain)) === true;
    const isSaid = (gist: readonly Said[] = [], least: number) =>
      matterOf(gist.map(({ plain }) => plain).join(" ")).size >= least;
    const isTold = isAsked ? isSaid(last, 1) || isSaid(previous, TOPIC_MATTER_MIN) : isClear && chosen.size > 0;
    const topic = isServed && !isOther ? this.#topic(isTold ? RECENT_MAX : undefined) : [];
    this.#choose(chosen, topic);
    const isTurned = last?.some(({ text }) => turnsTo(text)) === true;
    const isAnswered = isAsked && topic.length > 0;
    // Behind how the talk began, two messages before tell more only if a word points there.
    const isFar = topic.length > 0 && !isWork && !pointsBack(words);
    if (isNeeded && isRelated && !isOther && !isTurned && !isClear && !isAnswered && !isFar) {
      this.#choose(chosen, previous ?? []);
    }
    // People among themselves go from one matter to the next.
    if (isNeeded && chosen.size === 0 && isRelated) this.#choose(chosen, this.#topic());
  }

  /**
   * What an assistant says is no matter of anybody's, unless it asks, is pointed at, or is taken up; neither is what the
   * speaker has asked it.
   */
  #isOfTalk(gist: readonly Said[], words: string): boolean {
    const isOwn = gist[0] !== undefined && speakerLabel(gist[0].turn) === speakerLabel(this.#turn);
    if (this.#reading.isServed && isOwn && gist.every(({ isQuestion }) => isQuestion)) return pointsToLast(words);
    const says = gist.some(({ text }) => text.split(" ").length > ACKNOWLEDGED_WORDS_MAX || /[\d?]/u.test(text));
    return gist[0]?.turn.role !== "assistant" || says && pointsToLast(words) ||
      gist.some((one) => one.isQuestion || !aboutWhat(one).isDisjointFrom(matterOf(words)));
  }

  /** The sentences that first named whom and what words take for known: "Marek", "the training". */
  #namersOf(words: string, before: readonly Said[]): Said[] {
    const named = new Set(
      [...words.matchAll(KNOWN)].flatMap(([, noun, name]) => [...matterOf(noun ?? name!)]),
    );
    const speakers = matterOf(this.#reading.speakers.join(" "));
    const told = matterOf(before.map(({ plain }) => plain).join(" "));
    const found: Said[] = [];
    for (const stem of named) {
      if (speakers.has(stem) || told.has(stem)) continue;
      const first = this.#reading.said.find((one) => one.turn.role === "user" && aboutWhat(one).has(stem));
      if (first !== undefined && first.turn !== this.#turn && !found.includes(first)) {
        found.push(shorten(first, GIST_CHARS_MAX));
      }
    }
    return found.slice(0, NAMERS_MAX);
  }

  /**
   * The nearest earlier sentence with a word that stands in the words, too: of what they speak it tells more than how the
   * talk began, or what was said last.
   */
  #findSharer(words: string): Said | undefined {
    const matter = matterOf(words);
    const one = this.#reading.said.findLast((one) =>
      one.turn !== this.#turn && !one.isQuestion && !isUnreal(one.plain) && !isSocial(one.text) &&
      one.turn.role === "user" && !aboutWhat(one).isDisjointFrom(matter)
    );
    return one === undefined ? undefined : shorten(one, GIST_CHARS_MAX);
  }

  /** "The demo is on Friday" says of itself what it is about; what was said before may be another matter. */
  #isRelated(words: string, last: readonly Said[], before: readonly Said[]): boolean {
    return this.#reading.isServed || before.length > 0 || !OWN_SUBJECT.test(words) ||
      last.some(({ isQuestion, plain }) => isQuestion || !matterOf(plain).isDisjointFrom(matterOf(words)));
  }

  /** What the talk began with, if that is near enough to be what it is still about. */
  #topic(nearMax = this.#isGathered() ? SAID_MAX : NEAR_MAX): readonly Said[] {
    const { topic, heard } = this.#reading;
    const first = topic?.[0];
    const says = topic === undefined ? 0 : matterOf(topic.map(({ plain }) => plain).join(" ")).size;
    return first !== undefined && first.turn !== this.#turn && (says >= TOPIC_MATTER_MIN || this.#isForeign) &&
        heard - first.order <= nearMax
      ? topic!
      : [];
  }

  /** Two who talk go from one matter to the next; a group, or who asks an assistant, mostly stays with one. */
  #isGathered(): boolean {
    return this.#reading.isServed || this.#reading.speakers.length > 2;
  }

  /** Whether a deed is more than a word for what was asked: "Updated to 8." is not. */
  isNews(words: string): boolean {
    const told = words.replace(DEED, "");
    const matter = matterOf(told);
    const isWord = words.split(" ").length <= ACKNOWLEDGED_WORDS_MAX || NOTES.test(words);
    const said = this.#reading.said.slice(-NEAR_MAX);
    const numbers = new Set(said.flatMap(({ plain }) => plain.match(NUMBERS) ?? []));
    // "So tickets are 14, and 7 for kids": what the user has just said.
    const repeats = REPEATS.test(words) && NUMBERS_IN.test(told);
    if (!repeats && (!isWord && matter.size > 0 || /["\u201c]/u.test(words))) return true;
    return [...matter].some((stem) => !said.some((one) => aboutWhat(one).has(stem))) ||
      (told.match(NUMBERS) ?? []).some((number) => !numbers.has(number));
  }

  /** Adds sentences while there is room for them. */
  #choose(chosen: Set<Said>, more: readonly Said[]): void {
    for (const one of more) {
      const chars = [...chosen].reduce((sum, { text }) => sum + text.length, one.text.length);
      const turns = new Set([...chosen, one].map(({ turn }) => turn).filter((turn) => turn !== this.#turn));
      const isThere = [...chosen].some(({ order }) => order === one.order);
      if (
        !isThere && chars <= QUOTED_CHARS_MAX && turns.size <= TURNS_MAX && !isSocial(one.text) &&
        !isUnreal(one.plain) &&
        !(one.turn.role === "assistant" && OFFERS.test(one.plain))
      ) {
        chosen.add(one);
      }
    }
  }
}

/** Finds the sentences without which a reader could not tell what a statement of a turn is about. Pure. */
import { readClaims, SURE_MIN } from "./claims/mod.ts";
import { type ConversationTurn, speakerLabel } from "./conversation.ts";
import { writeOut } from "./informal.ts";
import { isClause } from "./judgement.ts";
import { skipLead } from "./leads.ts";
import { isAbout, listPointers, type Pointer, tellsApart } from "./pointers.ts";
import type { Span } from "./sentences.ts";
import { gistOf, isSocial, matterOf, namesMatter, standsAlone, suffices } from "./standing.ts";
import { type Ground, inOrder, leaves, matterIn, type Reading, type Said, tells } from "./talk.ts";
import { headOf } from "./told.ts";

/** Sentences that are looked back over for what a word points to, and of how many of them it may take to tell. */
const LOOK_BACK_MAX = 10;
const CONTEXT_MAX = 3;
/** Earlier sentences that are kept for reading, and how many of a talk may hold what it is about. */
export const SAID_MAX = 60;
const NEAR_MAX = 14;
/** The longest message that is quoted whole before a statement, and all that is quoted. */
export const GIST_CHARS_MAX = 200;
const QUOTED_CHARS_MAX = 480;
/** Turns before, at most, which are quoted to make a statement understood; other turns that a statement may cite. */
const HOPS_MAX = 3;
const TURNS_MAX = 4;
/** How many sentences before a word may be what it points to. */
const REACH: Readonly<Record<Pointer, number>> = {
  any: 1,
  it: 1,
  they: 3,
  people: 6,
  he: LOOK_BACK_MAX,
  she: LOOK_BACK_MAX,
};
/** A question that asks for nothing in particular. */
const OFFERS =
  /\b(?:help|assist)\b|\banything else\b|\bhow are you\b|\bhelfen\b|\bayudar|\baider\b|\baiutar|\bajudar|お手伝い|帮|помочь/iu;
/** How a message begins that turns to another matter. */
export const SHIFTS =
  /^(?:(?:ok|oh|and|so)[,.]? )?(?:btw|by the way|(?:one |an)?other thing|(?:different|new|next) topic|unrelated|something else)\b/iu;
/** "The demo is on Friday" names its subject. */
const OWN_SUBJECT = /^(?:the|our) \p{L}/iu;
/** The longest stretch of a turn that is kept as one statement. */
export const STRETCH_CHARS_MAX = 600;

/** What was said around one turn. */
export class Context {
  readonly #turn: ConversationTurn;
  readonly #reading: Reading;
  readonly #plain: string;
  readonly #isForeign: boolean;

  /** @param plain the turn's content with straight apostrophes */
  constructor(turn: ConversationTurn, reading: Reading, plain: string, isForeign: boolean) {
    this.#turn = turn;
    this.#reading = reading;
    this.#plain = plain;
    this.#isForeign = isForeign;
  }

  /** The question that another speaker has just asked. */
  question(): Said | undefined {
    const last = this.#reading.said.at(-1);
    const isAsked = last?.isQuestion === true && speakerLabel(last.turn) !== speakerLabel(this.#turn);
    return isAsked && !OFFERS.test(last.plain) && !SHIFTS.test(this.#plain) ? last : undefined;
  }

  /**
   * Finds the sentences that tell what the pointers mean; undefined: nobody can tell.
   * @param known sentences that the statement needs in any case
   */
  ground(own: Span, pointers: readonly Pointer[], known: readonly Said[] = []): Ground | undefined {
    const before = [...known];
    const said = this.#reading.said;
    const all = [...new Set([...pointers, ...known.flatMap(leaves)])];
    let open = all.filter((pointer) => pointer === "any" || !known.some((one) => tells(one, pointer)));
    for (let back = 1; back <= Math.min(said.length, LOOK_BACK_MAX) && open.length > 0; back++) {
      const one = said[said.length - back]!;
      if (before.includes(one)) continue;
      const near = open.filter((pointer) => back <= REACH[pointer] + known.length && this.#mayGround(one, pointer));
      const closed = near.filter((pointer) => tells(one, pointer));
      // "He" and "she" are two persons.
      if (closed.includes("he") && closed.includes("she") && !tellsApart(one.plain)) return undefined;
      if (closed.length === 0) continue;
      before.unshift(one);
      const other = closed.some((pointer) => (pointer === "he" || pointer === "she") && !isAbout(one.plain, pointer))
        ? this.#findTopic(said.length - back, closed)
        : undefined;
      // "I go with my aunt. She comes home on Sunday": the talk may be about somebody else, so both are quoted.
      if (other !== undefined && !before.includes(other)) before.unshift(other);
      if (before.length > CONTEXT_MAX) return undefined;
      open = [...new Set([...open.filter((pointer) => !closed.includes(pointer)), ...leaves(one)])];
    }
    if (open.length === 0) return this.join(own.start, before);
    // Of whom "she" speaks only a name tells; what "it" or "there" means is most often what was said directly before.
    const last = said.at(-1);
    if (last === undefined || open.some((pointer) => pointer === "he" || pointer === "she" || pointer === "people")) {
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

  /** An earlier sentence of the same speaker that is about somebody whom the pointers may mean. */
  #findTopic(end: number, pointers: readonly Pointer[]): Said | undefined {
    const label = speakerLabel(this.#turn);
    const from = Math.max(0, this.#reading.said.length - 2 * LOOK_BACK_MAX);
    return this.#reading.said.slice(from, end).findLast((one) =>
      speakerLabel(one.turn) === label && pointers.some((pointer) => tells(one, pointer) && isAbout(one.plain, pointer))
    );
  }

  /** Whom a user speaks of, the user has named; an assistant may ask. */
  #mayGround({ turn, isQuestion }: Said, pointer: Pointer): boolean {
    return turn.role === "user" || isQuestion || this.#turn.role === "assistant" || pointer === "it" ||
      pointer === "any";
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
    return gistOf(this.#reading.said.filter((one) => one.turn === turn), GIST_CHARS_MAX);
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
    const isThin = before.some(({ plain, isQuestion }) => isQuestion && listPointers(plain).length > 0) ||
      !standsAlone(words) && !this.#claims(words);
    if (!isThin && !isWork && before.length === 0) return { start, before };
    const chosen = new Set(before);
    const told = () => [words, ...[...chosen].map(({ plain }) => plain)];
    if (isThin && !isWork) {
      for (const one of this.#reading.said.slice(-CONTEXT_MAX).reverse()) {
        if (one.span.start >= start && one.turn === this.#turn) continue;
        if (one.turn !== this.#turn || suffices(told()) || own.end - one.span.start > STRETCH_CHARS_MAX) break;
        chosen.add(one);
      }
    }
    const turns = this.turnsBefore();
    const turnsAway = this.#turn.role === "user" && SHIFTS.test(this.#plain);
    const isOther = turnsAway || before.some(({ text }) => SHIFTS.test(text));
    // An assistant's deed stands behind the request.
    const asked = isWork ? turns.findIndex(({ role }) => role === "user") : 0;
    const isFar = before.some(({ turn }) => turn !== this.#turn) && !before.some(({ turn }) => turn === turns[0]);
    for (const [hops, turn] of turns.slice(Math.max(0, asked), HOPS_MAX).entries()) {
      const isNeeded = hops === 0
        ? isThin && !suffices([words]) || isFar || isWork
        // "Refund please." names nothing.
        : isWork && ![...chosen].some(namesMatter) || isThin && !suffices(told());
      if (!isNeeded || turnsAway || isOther && hops > 0) break;
      const gist = this.gist(turn);
      // "The demo is on Friday" says of itself what it is about; what was said before may be another matter.
      const isRelated = isWork || this.#reading.isServed || before.length > 0 || !OWN_SUBJECT.test(words) ||
        gist.some(({ isQuestion, plain }) => isQuestion || !matterOf(plain).isDisjointFrom(matterOf(words)));
      if (isRelated) this.#choose(chosen, gist);
    }
    if (isThin && !isOther && (this.#reading.isServed || !suffices(told()))) {
      this.#choose(chosen, this.#matter(told(), chosen));
    }
    return this.join(start, [...chosen].sort(inOrder));
  }

  /** Whether words claim something of a subject that they name: what is quoted before them would hide the claim. */
  #claims(words: string): boolean {
    return this.#turn.role === "user" && matterOf(words).size > 1 && listPointers(writeOut(words)).length === 0 &&
      readClaims(`${headOf(this.#turn)}: ${words}`).some(({ confidence }) => confidence >= SURE_MIN);
  }

  /** Adds sentences while there is room for them. */
  #choose(chosen: Set<Said>, more: readonly Said[]): void {
    for (const one of more) {
      const chars = [...chosen].reduce((sum, { text }) => sum + text.length, one.text.length);
      const turns = new Set([...chosen, one].map(({ turn }) => turn).filter((turn) => turn !== this.#turn));
      if (
        chars <= QUOTED_CHARS_MAX && turns.size <= TURNS_MAX && !isSocial(one.text) &&
        !(one.turn.role === "assistant" && OFFERS.test(one.plain))
      ) {
        chosen.add(one);
      }
    }
  }

  /** The sentences that name what a talk is about: the latest that shares a word with the statement, and the first. */
  #matter(texts: readonly string[], chosen: ReadonlySet<Said>): Said[] {
    const { said, topic, isServed } = this.#reading;
    const stems = matterOf(texts.join(" "));
    const isNew = (one: Said) =>
      one.turn !== this.#turn && !chosen.has(one) && (this.#isForeign || !matterIn(one).isSubsetOf(stems));
    const others = said.slice(-SAID_MAX).filter(isNew);
    const shares = (one: Said) => !matterIn(one).isDisjointFrom(stems);
    const found: Said[] = [];
    const isOne = isServed || !OWN_SUBJECT.test(texts[0]!) && !isClause(texts[0]!) ||
      topic !== undefined && shares(topic);
    if (topic !== undefined && isNew(topic) && isOne) {
      const isNear = this.#reading.heard - topic.order <= SAID_MAX / 2;
      if (isServed ? isNear : this.#reading.heard - topic.order <= NEAR_MAX) found.push(topic);
    }
    if (suffices([...texts, ...found.map(({ plain }) => plain)])) return found;
    const near = others.filter((one) => !found.includes(one));
    const isAlone = found.length === 0 && (isServed || !isClause(texts[0]!));
    const named = near.findLast((one) => shares(one) && namesMatter(one)) ??
      (isAlone ? near.slice(-NEAR_MAX).findLast((one) => one.turn.role === "user" && namesMatter(one)) : undefined);
    return named === undefined ? found : [...found, named];
  }
}

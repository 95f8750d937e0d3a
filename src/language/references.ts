/**
 * Replaces the words that refer to something outside a sentence ("I", "my", "you", "she", "it", "there") by whom or
 * what they mean: the speaker, the listener, or what was mentioned last. A sentence in which one of them cannot be
 * replaced has no meaning of its own. Pure.
 */
import { FUNCTION_WORDS } from "./mention_words.ts";
import { type Gender, listMentions } from "./mentioned.ts";
import type { Remembered, Scene } from "./scene.ts";
import {
  AFTER_OBJECT,
  AFTER_POINTING,
  AUXILIARY,
  EMPTY_IT,
  IDIOM,
  OF_PLACE,
  POINTING,
  type Pronoun,
  PRONOUNS,
} from "./pronouns.ts";
import { isCommonBase, isPastForm, MIDDLE_ADVERBS, toThirdPerson } from "./verb_forms.ts";

/** The speaker and listener of a sentence, and what the conversation mentioned before. */
export interface Talk {
  /** The speaker's name in statements, or "the user". */
  readonly speaker: string;
  /** Null: not known, because several people listen. */
  readonly listener: string | null;
  readonly scene: Scene;
}

export interface ResolvedText {
  readonly text: string;
  /** The turns from which names were taken. */
  readonly borrowed: readonly string[];
  /** False: a word still refers to something outside the sentence. */
  readonly isWhole: boolean;
}

const FULL_CLAUSE = /(?:\S+ ){3,}\S+(?:[,;:]| and| but| because| so| since| when| as) $/iu;
/** Verbs whose subject is a person. */
const ANIMATE =
  /^[\p{L}']+ (?:always |never |still |also |just |all |really |only )?(?:want|think|say|said|told|like|love|hate|know|hope|prefer|agreed|decided|called|asked|live|work|moved|married|bought|offered|pay|paid)/iu;
const TOKEN = /[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*|\s+|[^\s]/gu;
/** The name that replaces a pronoun. */
interface Stand {
  readonly name: string;
  readonly isPlural: boolean;
  readonly messageId?: string;
}

/** Reads one sentence from left to right and writes it with names in place of pronouns. */
class Writer {
  readonly #talk: Talk;
  readonly #pieces: readonly string[];
  readonly #sentence: string;
  readonly #out: string[] = [];
  readonly borrowed = new Set<string>();
  isWhole = true;
  /** Names that have replaced pronouns already. */
  readonly #used = new Set<string>();
  #at = 0;
  /** The place of the piece in the sentence. */
  #offset = 0;
  /** The next verb has a subject in the third person singular. */
  #awaitsVerb = false;
  /** A verb after "and" has the same subject. */
  #mayFollow = false;

  constructor(sentence: string, talk: Talk) {
    this.#sentence = sentence;
    this.#talk = talk;
    this.#pieces = sentence.match(TOKEN) ?? [];
  }

  write(): string {
    for (; this.#at < this.#pieces.length; this.#at++) {
      const piece = this.#pieces[this.#at]!;
      this.#writeToken(piece);
      this.#offset += piece.length;
    }
    const text = this.#out.join("").replace(/\s+/gu, " ").replace(/ ([.,!?;])/gu, "$1").trim();
    return text === "" ? "" : text[0]!.toUpperCase() + text.slice(1);
  }

  #writeToken(piece: string): void {
    const word = piece.toLowerCase();
    const [base, clitic = ""] = word.split(/'(?=m$|re$|ve$|ll$|d$|s$)/u) as [string, string?];
    const pronoun = Object.hasOwn(PRONOUNS, base) && !(base === "her's") ? PRONOUNS[base] : undefined;
    if (pronoun !== undefined && !(base === "us" && piece === "US") && !(base === "it" && piece === "IT")) {
      this.#writePronoun(piece, base, clitic, pronoun);
    } else if (word === "there" || word === "here") this.#writePlace(piece, word);
    else if (POINTING.test(base) && this.#points(clitic === "" ? "" : `'${clitic}`)) {
      this.isWhole = false;
      this.#out.push(piece);
    } else this.#writeOther(piece, word);
  }

  #rest(skip: number): string {
    return this.#sentence.slice(this.#offset + skip);
  }

  /** The next word, lower case; empty at the end and before punctuation. */
  #nextWord(from = this.#at): string {
    const next = this.#pieces[from + 1] === " " ? this.#pieces[from + 2] : undefined;
    return next !== undefined && /^[\p{L}\p{N}]/u.test(next) ? next.toLowerCase() : "";
  }

  #previousWord(): string {
    return this.#out.findLast((piece) => /\p{L}/u.test(piece))?.toLowerCase() ?? "";
  }

  #points(clitic: string): boolean {
    const piece = this.#pieces[this.#at]!;
    const rest = this.#rest(piece.length);
    if (clitic !== "") return true;
    const isConjunction = piece.toLowerCase() === "that" && this.#at > 0 && !/^[.,!?;…]|^$/u.test(rest) &&
      !/^ (?:is|was|one|and|but|too|again|now)\b/iu.test(rest);
    return !isConjunction && AFTER_POINTING.test(rest);
  }

  #writeOther(piece: string, word: string): void {
    if (!/^[\p{L}\p{N}]/u.test(piece)) {
      if (/[.;:!?]/u.test(piece)) this.#mayFollow = false;
      this.#out.push(piece);
      return;
    }
    if (this.#awaitsVerb) {
      if (MIDDLE_ADVERBS.has(word) || word.endsWith("ly")) {
        this.#out.push(piece);
        return;
      }
      const verb = toThirdPerson(piece);
      this.#awaitsVerb = false;
      this.#mayFollow = verb !== piece && !AUXILIARY.has(word);
      this.#out.push(verb);
      return;
    }
    if (word === "to" || AUXILIARY.has(word)) this.#mayFollow = false;
    // The look back at the words before comes last, because it takes longest.
    const follows = this.#mayFollow && isCommonBase(word) && /^(?:and|but|or|then)$/.test(this.#previousWord());
    this.#out.push(follows ? toThirdPerson(piece) : piece);
  }

  #writePronoun(piece: string, base: string, clitic: string, { person, form }: Pronoun): void {
    const next = this.#nextWord();
    const isPossessive = form === "possessive" || (base === "her" && this.#isNounNext(next)) ||
      (base === "his" && next !== "");
    if (form === "self" && !(person === "she" || person === "he" || person === "it" || person === "they")) {
      this.#writeSelf(person === "group");
      return;
    }
    const stand = form === "self" ? undefined : this.#standFor(person, piece, clitic);
    if (stand === undefined) {
      this.#awaitsVerb = false;
      this.#out.push(piece);
      return;
    }
    if (stand.messageId !== undefined) this.borrowed.add(stand.messageId);
    const name = this.#out.every((piece) => !/\p{L}/u.test(piece)) ? stand.name : lowerThe(stand.name);
    // "Mine is 24" does not say what is 24.
    if (form === "own" && (this.#out.length === 0 || AUXILIARY.has(next))) this.isWhole = false;
    if (isPossessive || form === "own") {
      // The speaker's name represents the group as the owner.
      this.#out.push(person === "group" ? `${this.#talk.speaker}'s` : `${name}'s`);
      return;
    }
    const isSubject = form === "subject" && (base !== "you" && base !== "it" || this.#isSubjectHere(clitic));
    this.#out.push(name);
    if (clitic !== "") this.#writeClitic(clitic, stand.isPlural);
    else if (isSubject) this.#afterSubject(person, stand);
  }

  #isNounNext(next: string): boolean {
    return next !== "" && !FUNCTION_WORDS.has(next) && !AFTER_OBJECT.has(next) && !next.endsWith("ly");
  }

  /** "You" and "it" are objects after most words, and subjects at the beginning and after few. */
  #isSubjectHere(clitic: string): boolean {
    if (clitic !== "") return true;
    const next = this.#nextWord();
    return next !== "" &&
      !/^(?:to|in|on|at|for|with|by|from|and|or|the|a|an|of|as|if|when|because|so|that)$/.test(next) &&
      (isVerbLike(next) || MIDDLE_ADVERBS.has(next));
  }

  #afterSubject(person: Pronoun["person"], { isPlural }: Stand): void {
    const auxiliary = this.#out.slice(0, -1).findLastIndex((piece) => /\p{L}/u.test(piece));
    const isInverted = auxiliary >= 0 && AUXILIARY.has(this.#out[auxiliary]!.toLowerCase());
    if (isInverted) {
      if (!isPlural && person !== "it") this.#out[auxiliary] = toThirdPerson(this.#out[auxiliary]!);
      return;
    }
    // After "he", "she" and "it" the verb has its form already.
    this.#awaitsVerb = !isPlural && (person === "speaker" || person === "listener" || person === "they");
    this.#mayFollow = false;
  }

  #writeClitic(clitic: string, isPlural: boolean): void {
    const next = this.#nextWord();
    const after = MIDDLE_ADVERBS.has(next) ? this.#nextWord(this.#at + 2) : next;
    const hasParticiple = isPastForm(after) || after === "been";
    const forms: Readonly<Record<string, string>> = {
      m: "is",
      re: isPlural ? "are" : "is",
      ve: isPlural ? "have" : "has",
      ll: "will",
      d: hasParticiple ? "had" : "would",
      s: after === "been" || after === "got" || after === "had" ? "has" : "is",
    };
    this.#out.push(` ${forms[clitic]!}`);
    this.#awaitsVerb = false;
    this.#mayFollow = false;
  }

  #writeSelf(isPlural: boolean): void {
    if (/^(?:for|to|by|of|with|about|from)$/.test(this.#previousWord())) this.#out.push("themselves");
    else if (isPlural) this.#out.push("themselves");
  }

  /** Whom the pronoun means; undefined: it stays, because the sentence itself says whom, or because it is unknown. */
  #standFor(person: Pronoun["person"], piece: string, clitic: string): Stand | undefined {
    const { speaker, listener, scene } = this.#talk;
    if (person === "speaker") return { name: speaker, isPlural: false };
    if (person === "group") return { name: `${speaker} and others`, isPlural: true };
    if (person === "listener") {
      if (listener !== null) return { name: listener, isPlural: false };
      this.isWhole = false;
      return undefined;
    }
    // "She made it": an idiom, in which "it" means nothing.
    if (person === "it" && /^(?:make|makes|made)$/.test(this.#previousWord())) return undefined;
    // After a complete clause, "it" refers to that clause: "I gave up coffee, it makes me sick".
    if (person === "it" && FULL_CLAUSE.test(this.#out.join(""))) return undefined;
    if (this.#isSaidHere(person)) return undefined;
    if (person === "it" && EMPTY_IT.test(`${clitic === "" ? "" : `'${clitic}`}${this.#rest(piece.length)}`)) {
      this.isWhole = false;
      return undefined;
    }
    const others = new Set([speaker, listener ?? speaker]);
    for (const name of this.#used) others.add(name);
    const found = this.#lookUp(person, scene, others);
    if (found === undefined) {
      this.isWhole = false;
      return undefined;
    }
    this.#used.add(found.text);
    return { name: found.text, isPlural: person === "they" && found.kind !== "group", messageId: found.messageId };
  }

  #lookUp(person: Pronoun["person"], scene: Scene, others: ReadonlySet<string>): Remembered | undefined {
    if (person === "it") return scene.findThing(others, HAS_FOLLOWERS.test(this.#rest(0)) ? FOLLOWED : undefined);
    if (person === "they") return scene.findPeople(others, ANIMATE.test(this.#rest(0)));
    return scene.findPerson(person === "she" ? "female" : "male", others);
  }

  /** Whether what the pronoun means was named before in the same sentence. */
  #isSaidHere(person: "she" | "he" | "they" | "it"): boolean {
    const others = new Set([this.#talk.speaker, this.#talk.listener]);
    const gender: Gender = person === "she" ? "female" : person === "he" ? "male" : "unknown";
    const before = this.#out.join("");
    // Subject and object of a verb differ: in "Birch led it", "it" is not Birch.
    const isObject = person === "it" &&
      !/[,;:]|\b(?:because|and|but|when|that|which|who|as|so|while|since)\b/iu.test(before) &&
      this.#pieces[this.#at]!.toLowerCase() === "it";
    // "I collect old pens and I've got 18 of them"
    if (
      person === "they" && / of $/u.test(before) && /\p{Ll}{3,}(?<![aiou]s|ss|'s|this|has|does|goes)s\b/u.test(before)
    ) {
      return true;
    }
    if ((person === "he" || person === "she") && isBySubject(before)) return true;
    return listMentions(before).some((mention) => {
      if (others.has(mention.text) || (isObject && mention.isSubject)) return false;
      const { kind } = mention;
      if (person === "it") {
        return kind === "thing" || kind === "name" || kind === "animal" ||
          (kind === "group" && !this.#used.has(mention.text));
      }
      if (person === "they") return kind !== "thing" && kind !== "name" || /\p{Ll}s$/u.test(mention.text);
      return (kind === "person" || kind === "name" || kind === "animal") && mention.place === undefined &&
        (mention.gender === "unknown" || mention.gender === gender);
    });
  }

  /** "There is …" says that something exists; otherwise it is a place. */
  #writePlace(piece: string, word: string): void {
    const next = this.#nextWord();
    if (word === "there" && (OF_PLACE.has(next) || AUXILIARY.has(this.#previousWord()))) {
      this.#out.push(piece);
      return;
    }
    if (word === "here" && /^(?:in|at)$/.test(next)) return;
    const place = word === "there" ? this.#talk.scene.findPlace() : undefined;
    if (place === undefined) {
      this.isWhole = false;
      this.#out.push(piece);
      return;
    }
    this.borrowed.add(place.messageId);
    // "from there": the preposition stands already.
    const isLed = /^(?:in|at|to|from|near|around|into|over)$/.test(this.#previousWord());
    this.#out.push(isLed ? place.text : place.place!);
  }
}

/** Whether a sentence so far is a name and what somebody of that name did: "Ruth lost", "Tom and", "Tariq no longer lives with". */
function isBySubject(before: string): boolean {
  const [, name, next] = /^(\p{Lu}\p{Ll}+) (\p{Ll}+) /u.exec(before) ?? [];
  return name !== undefined && !FUNCTION_WORDS.has(name.toLowerCase()) && !/[.,;:]/u.test(before) &&
    (isPastForm(next!) || next === "and" || next === "quit" || / no longer /u.test(before));
}

function isVerbLike(word: string): boolean {
  return AUXILIARY.has(word) || isPastForm(word) || isCommonBase(word) ||
    /^(?:don't|can't|won't|haven't|aren't|didn't|couldn't|should)$/.test(word) ||
    /s$/.test(word);
}

function lowerThe(name: string): string {
  return name.replace(/^The /u, "the ");
}

/** Only what people follow has followers. */
const HAS_FOLLOWERS =
  /^it(?:'s got| has(?: got)?| already has| now has| had| only has) (?:\S+ ){1,3}?(?:followers|subscribers|readers|listeners)\b/iu;
const FOLLOWED =
  /\b(?:account|channel|blog|newsletter|podcast|page|Instagram|YouTube|TikTok|site|website|profile|stream)\b/iu;

/** A sentence with more pronouns is left as it is: each is looked up among all that the sentence mentions before it. */
const PRONOUNS_MAX = 12;

/** Rewrites a sentence so that it names whom and what it is about. `sentence` must have straight apostrophes. */
export function resolveReferences(sentence: string, talk: Talk): ResolvedText {
  const pronouns = sentence.toLowerCase().match(/[a-z]+/g)?.filter((word) => Object.hasOwn(PRONOUNS, word)) ?? [];
  if (pronouns.length > PRONOUNS_MAX) return { text: sentence, borrowed: [], isWhole: false };
  const writer = new Writer(sentence, talk);
  const text = writer.write();
  const isWhole = writer.isWhole && !IDIOM.test(sentence);
  return { text, borrowed: [...writer.borrowed], isWhole };
}

/** Remembers whom and what a conversation mentioned lately, so that names can replace "she", "it" or "there". Pure. */
import { type Gender, listMentions, type Mention } from "./mentioned.ts";

/** The most sentences that are remembered: a pronoun seldom means something that was said longer ago. */
const SENTENCES_MAX = 10;

const SENTENCES_NEAR = 3;

/** A mention, and the turn that makes it. */
export interface Remembered extends Mention {
  readonly messageId: string;
}

/** What was mentioned lately, the latest sentence last. */
export class Scene {
  readonly #sentences: Remembered[][] = [];
  readonly #genders = new Map<string, Gender>();
  readonly #people = new Set<string>();
  readonly #places = new Set<string>();

  /** @param speakers names that are surely of people */
  constructor(speakers: Iterable<string>) {
    for (const name of speakers) this.#people.add(name);
  }

  /** Adds the people and things that a sentence mentions. */
  add(sentence: string, messageId: string): void {
    const mentions = listMentions(sentence).map((mention) => ({ ...mention, messageId }));
    for (const { text, kind, gender, place } of mentions) {
      if (place !== undefined) this.#places.add(text);
      if (kind === "person") this.#people.add(text);
      if (gender !== "unknown") this.#genders.set(text, gender);
    }
    this.#sentences.push(mentions);
    if (this.#sentences.length > SENTENCES_MAX) this.#sentences.shift();
  }

  /** The person whom "he" or "she" means; speakers do not speak so of each other. */
  findPerson(gender: Gender, others: ReadonlySet<string>): Remembered | undefined {
    return this.#find((mention) => {
      if (others.has(mention.text)) return false;
      if (mention.place !== undefined || this.#places.has(mention.text)) return false;
      if (
        mention.kind !== "person" && mention.kind !== "animal" &&
        !(mention.kind === "name" && this.#mayBePerson(mention))
      ) return false;
      const known = this.#genders.get(mention.text) ?? mention.gender;
      return known === "unknown" || gender === "unknown" || known === gender;
    }, (mention) => {
      if (gender !== "unknown") this.#genders.set(mention.text, gender);
      this.#people.add(mention.text);
    });
  }

  #mayBePerson({ text }: Mention): boolean {
    return this.#people.has(text) || !/\d|\p{Lu}{2}|\p{Ll}\p{Lu}/u.test(text);
  }

  /** The people whom "they" means. */
  findPeople(used: ReadonlySet<string>, isAnimate: boolean): Remembered | undefined {
    return this.#find(({ kind, text }) =>
      (kind === "people" || kind === "group" || (kind === "things" && !isAnimate)) && !used.has(text)
    );
  }

  /** The thing that "it" means; `kind` matches what it must be because of what the sentence says about it. */
  findThing(others: ReadonlySet<string>, kind?: RegExp): Remembered | undefined {
    const isOfKind = ({ text }: Mention) => kind === undefined || kind.test(text);
    return this.#findSure((mention) =>
      isOfKind(mention) && (((mention.kind === "thing" && mention.place === undefined) || mention.kind === "group" ||
            mention.kind === "animal") && !others.has(mention.text) ||
        (mention.kind === "name" && !this.#people.has(mention.text) && !others.has(mention.text)))
    );
  }

  /** The place that "there" means. */
  findPlace(): Remembered | undefined {
    return this.#find((mention) => mention.place !== undefined && !this.#people.has(mention.text));
  }

  /**
   * Finds a mention in the last of the near sentences that has a fitting one: the subject, or else the only one. If
   * there are several, "it" may mean any of them.
   */
  #findSure(fits: (mention: Remembered) => boolean): Remembered | undefined {
    for (const sentence of this.#sentences.slice(-SENTENCES_NEAR).toReversed()) {
      const fitting = sentence.filter(fits);
      if (fitting.length === 0) continue;
      const subject = fitting.find((mention) => mention.isSubject);
      return subject ?? (new Set(fitting.map(({ text }) => text)).size === 1 ? fitting[0] : undefined);
    }
    return undefined;
  }

  /** Finds a mention in the latest sentence that has a fitting one: the subject, or else the last. */
  #find(fits: (mention: Remembered) => boolean, chosen?: (mention: Remembered) => void): Remembered | undefined {
    for (const sentence of this.#sentences.toReversed()) {
      const fitting = sentence.filter(fits);
      const found = fitting.find((mention) => mention.isSubject) ?? fitting.at(-1);
      if (found === undefined) continue;
      chosen?.(found);
      return found;
    }
    return undefined;
  }
}

/** Guesses states that a clause likely describes in words that the list of states does not contain. */
import type { Respect } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { EVENT_STATES } from "./event_rules.ts";

interface StateGuess {
  readonly respect: Respect;
  readonly predicate: string;
  readonly value: string;
  readonly polarity?: boolean;
  readonly subject?: string;
  readonly change?: "began" | "cancelled";
}

const SAID: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:be|come|go|get) (?:up and running|back (?:online|up|on)|online|live)[.!]?$|^(?:run|work|function)\b(?: (?:again|fine|properly|normally|smoothly))/iu,
    "back online",
  ],
  [
    /^(?:shut|close|lock|bolt) (?:its|their|the) (?:doors?|gates?)\b|^(?:shut|close) (?:down|up shop)\b|^cease (?:trading|operations?)\b|^go (?:out of business|bankrupt|bust)\b/iu,
    "closed",
  ],
  [/^(?:open|reopen) (?:its|their|the) (?:doors?|gates?)\b|^be open[.!]?$/iu, "open"],
  [/^(?:flip|switch|turn|toggle|set|put)\b.{0,20}\bon[.!]?$/iu, "enabled"],
  [/^(?:flip|switch|turn|toggle|set|put)\b.{0,20}\boff[.!]?$/iu, "disabled"],
  [/^(?:turn down|knock back|refuse|deny|throw out)\b/iu, "rejected"],
  [
    /^(?:fall through|fall apart|fall flat|be off(?= again| because| due| after all|[.!]?$)|come to nothing|not go ahead|be called off|scrap|call off)\b/iu,
    "cancelled",
  ],
  [
    /^be (?:over|finished|done|complete|completed|behind (?:us|me|him|her)|history|ready|settled|sorted|dealt with)\b|^(?:come to an end|wrap up|wind up|be wrapped up)\b/iu,
    "finished",
  ],
  [
    /^(?:get|be|feel) (?:better|well|healthy|fit|fine|himself|herself)(?: again)?[.!]?$|^be back (?:on (?:his|her|my|their) feet|to normal|at work|in action|in business)\b|^get over\b|^pull through\b/iu,
    "recovered",
  ],
  [/^(?:go|come) out\b.*\bfinal\b|^(?:publish|release)\b/iu, "published"],
  [/^be back\b/iu, "back"],
  [/^(?:go|come) out[.!]?$/iu, "released"],
  [/^come through[.!]?$/iu, "approved"],
  [/^pass away\b/iu, "dead"],
  [/^(?:turn|show) up[.!]?$/iu, "found"],
];

/** Reads the state that a clause gives its subject, or gives the object that somebody acted on. */
export function guessStates(clause: Clause, isOfPerson: boolean): StateGuess[] {
  const { lemma, rest, form, isPassive, isDenied, isProgressive, subjectText } = clause;
  if (isDenied || isProgressive) return [];
  const said = `${lemma} ${rest}`;
  const happened = form === "past" || clause.isNew || lemma === "be";
  if (!happened) return [];
  const found = SAID.find(([pattern]) => pattern.test(said))?.[1];
  const isBare =
    /^(?:down |up |off |out )?(?:again|completely|entirely|fully|and \p{L}+|for (?:good|the \p{L}+)|by .*|at last|in full|in (?:version|release|v)?\s?\d.*)?[.!]?$/iu
      .test(rest);
  const state = found ?? ((isPassive || !isOfPerson) && isBare ? EVENT_STATES[lemma] : undefined);
  const work =
    /^(?:work|works|renovations?|repairs?|construction|negotiations?|talks|maintenance|treatment|testing|review) (?:on|of|about|over|for) (?:the )?(.+)$/iu
      .exec(subjectText)?.[1];
  const status = (value: string, subject: string) =>
    ({ respect: "status", predicate: "status", value, subject, change: "began" }) as const;
  const states: StateGuess[] = [];
  const held = /^(?:consider|deem|declare|call|label|mark|rate|class)$/.test(lemma) && isPassive
    ? /^(?:as )?(\p{Ll}+)[.!]?$/u.exec(rest)?.[1]
    : /^(?:work|function|trade|operate)$/.test(lemma) && clause.isNew
    ? "working"
    : undefined;
  if (held !== undefined) states.push(status(held, subjectText));
  const colour = /^(?:paint|respray|repaint)$/.test(lemma) && isPassive
    ? /^(?:in )?((?:dark |light |bright )?\p{Ll}+)[.!]?$/u.exec(rest)?.[1]
    : undefined;
  if (colour !== undefined) {
    states.push({ respect: "attribute", predicate: "is", value: colour, subject: subjectText, change: "began" });
  }
  if (state !== undefined) {
    states.push(status(state, subjectText));
    if (work !== undefined) states.push(status(state, work));
    if (state === "cancelled") {
      states.push({ respect: "time", predicate: "happens", value: "", polarity: false, change: "cancelled" });
    }
  }
  // "They cleared the road to the lake."
  const object = !isPassive && form === "past" && EVENT_STATES[lemma] !== undefined
    ? /^(?:up |down |off )?(?:the|our) (.+)$/iu.exec(upTo(rest))?.[1]
    : undefined;
  if (object !== undefined) states.push(status(EVENT_STATES[lemma]!, object));
  return states;
}

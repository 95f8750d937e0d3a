/** Guesses about likes, numbers, names, ways and places. */
import type { Claim } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { type Guess, make } from "./guess_draft.ts";
import { isPerson } from "./people_rules.ts";
import { firstValue, maskValues } from "./values.ts";
import { lemmaOfIng } from "./verbs.ts";

/** "Chat suits me better than calls", "has grown fond of opera", "is over jazz", "would rather have wine". */
export function guessLiking(clause: Clause): Claim[] {
  const { lemma, rest, isDenied, subjectText } = clause;
  const said = `${lemma} ${rest}`;
  const likes = (value: string, polarity: boolean, subject = subjectText) => [
    make(clause, { respect: "preference", predicate: "likes", value: upTo(value), polarity, subject, change: "began" }),
  ];
  const grown =
    /^(?:grow (?:to (?:like|love|enjoy)|fond of)|come (?:around|round) to|come to (?:like|love|enjoy)|warm to|warm up to|take to|take a liking to|develop a taste for|fall (?:back )?in love with|get into|get to like|(?:start|begin) (?:to (?:like|love|enjoy)|liking|loving|enjoying)|learn to (?:like|love)|be (?:fond of|into|keen on|crazy about|a fan of)|discover (?:a love for|the joys of)|rediscover) ?(.+)$/iu
      .exec(said)?.[1];
  const used = lemma === "use" && clause.isPassive && clause.form === "past"
    ? /^to (.+)$/iu.exec(rest)?.[1]
    : undefined;
  if (used !== undefined && !isDenied) return likes(used, true);
  if (grown !== undefined && !isDenied) return likes(grown, true);
  const lost =
    /^(?:be (?:over|past|done with|through with|sick of|tired of|fed up with|bored (?:of|with|by))|go off|tire of|grow (?:tired|weary|sick) of|sour on|cool on|turn against|fall out of love with|lose (?:interest in|(?:my|his|her|their|our|the|all) (?:taste|love|appetite|enthusiasm|passion|liking) for)|have (?:had )?enough of|be put off) ?(.+)$/iu
      .exec(said)?.[1];
  if (lost !== undefined && !isDenied) return likes(lost, false);
  if (
    lemma === "be" &&
    /^(?:not )?(?:really )?(?:my|our|his|her|their) (?:thing|cup of tea|favou?rite|taste|style|bag)\b/iu.test(rest)
  ) {
    const owner = /^(?:my|our)$/iu.test(/^(?:not )?(?:really )?(\p{L}+)/u.exec(rest)![1]!)
      ? clause.speaker
      : subjectText;
    return likes(subjectText, !isDenied, owner);
  }
  const more = !isDenied && clause.isNew
    ? /^(?:like|love|enjoy) (.+?) (?:more|better|best)(?: than (.+))?$/iu.exec(said.replace(/[.!]$/, ""))
    : null;
  if (more !== null) {
    const value = more[2] === undefined ? more[1]! : `${more[1]} over ${more[2]}`;
    return [make(clause, { respect: "preference", predicate: "prefers", value })];
  }
  const worse = lemma === "prefer" && !isDenied ? / (?:over|to) (.+)$/iu.exec(upTo(rest))?.[1] : undefined;
  if (worse !== undefined && clause.isNew) return likes(worse, false);
  const than =
    /^(?:suit|fit|work for|please|appeal to) (me|us|him|her|them|\p{Lu}\p{L}+) (?:better|more|best)(?: than (.+))?$/iu
      .exec(
        said.replace(/[.!]$/, ""),
      );
  if (than !== null) {
    const owner = /^me$/iu.test(than[1]!) ? clause.speaker : /^us$/iu.test(than[1]!) ? "we" : than[1]!;
    const value = than[2] === undefined ? subjectText : `${subjectText} over ${than[2]}`;
    return [make(clause, { respect: "preference", predicate: "prefers", value, subject: owner })];
  }
  return [];
}

const FACET =
  /\b(?:slot|date|time|start|beginning|end|deadline|day|opening|kick-?off|closing time|schedule|appointment) (?:of|for) (?:the )?(.+)$|^(.+?)(?:'s)? (?:start|beginning|kick-?off|slot|new date|new time)$/iu;

/**
 * Guesses the number or the time that a clause gives a subject, in whatever words: "has a new slot: Thursday at 14:00".
 */
export function guessValue(clause: Clause): Claim[] {
  const { lemma, rest, form, isDenied, subjectText } = clause;
  const isNews = clause.isNew || form === "past" && !clause.isPassive || clause.isPerfect ||
    clause.isPassive && clause.isPast ||
    /\b(?:new|now|only|left|latest|remaining)\b/iu.test(rest);
  if (
    isDenied || !isNews && !/^down to\b/u.test(rest) ||
    isPerson(clause) && subjectText !== "we" && form === "past" && !/^(?:go|get|cut|come)$/.test(lemma)
  ) return [];
  const { values } = maskValues(rest);
  const last = /\bto (.+)$/iu.exec(rest)?.[1];
  const claims: Claim[] = [];
  const times = values.filter(({ kind }) => kind === "day" || kind === "clock");
  if (times.length > 0 && !isPerson(clause)) {
    const value = times.map(({ text }) => text).join(" at ");
    const facet = FACET.exec(subjectText);
    for (const subject of [subjectText, facet?.[1] ?? facet?.[2]]) {
      if (subject !== undefined) {
        claims.push(make(clause, { respect: "time", predicate: "happens", value, subject, change: "replaced" }));
      }
    }
  }
  const measured = last !== undefined && maskValues(last).values.length > 0
    ? upTo(last)
    : /(?:^|\b(?:at|of|just|only|about) )((?:[$€£]|\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)\b).*)$/iu
      .exec(rest)?.[1];
  if (measured === undefined || times.length > 0) return claims;
  const value = upTo(measured).replace(/ (?:left|remaining|now|only)\b.*$/iu, "");
  if (/^\S+ of (?:them|it|those)\b/iu.test(value)) return claims;
  // "went up to 950 euros for the parking space" is about a part.
  if (/ for (?:the|my|our|his|her|their) (?!(?:month|week|year)\b)/iu.test(value)) return claims;
  claims.push(make(clause, { respect: "measure", predicate: "is", value, change: "adjusted" }));
  claims.push(make(clause, { respect: "possession", predicate: "has", value, change: "adjusted" }));
  if (/\b(?:kilos?|kg|pounds|stone)\b/iu.test(value)) {
    claims.push(
      make(clause, {
        respect: "measure",
        predicate: "is",
        value,
        subject: `${subjectText} weight`,
        change: "adjusted",
      }),
    );
  }
  if (!/^(?:be|have|need)$/.test(lemma)) {
    claims.push(make(clause, { respect: "activity", predicate: lemma, value: upTo(rest), change: "adjusted" }));
  }
  return claims;
}

/** "got a new name: Comet", "now bears the name Mandela Road". */
export function guessName(clause: Clause): Claim[] {
  const said = `${clause.lemma} ${clause.rest}`;
  const name =
    /^(?:get|have|be given|receive|take|give|bear|carry|adopt|choose|live|trade|operate|appear|run|go|be (?:published|released|known|sold|listed)|publish|release|know|sell)\b.{0,40}?\b(?:name|title|label|brand|as)\b(?: of)?:? ?["']?(\p{L}[\p{L}\d .'-]*)/u
      .exec(said)?.[1];
  if (name === undefined || !/\bnames?|title|label|brand\b/iu.test(said) || clause.isDenied) return [];
  return [make(clause, { respect: "name", predicate: "is called", value: name, change: "renamed" })];
}

const GOES = "drive bike cycle walk commute ride take go run travel get come";

/** "takes the train to work now" ends every other way of getting there, such as driving. */
export function guessWay(clause: Clause): Claim[] {
  const { lemma, rest, isDenied, form } = clause;
  if (isDenied || !clause.isNew || form === "past") return [];
  const goal = /\bto (work|school|the office|the gym|university|college|uni)\b/iu.exec(rest)?.[1];
  const way = rest.slice(0, Math.max(0, rest.search(/\bto /iu)));
  if (
    !/^(?:(?:the |an? |my )?(?:bus|train|tram|car|bike|bicycle|metro|subway|underground|ferry|taxi|scooter|boat)|by \p{L}+|on foot|)\s*$/iu
      .test(way)
  ) return [];
  if (goal === undefined || !GOES.split(" ").includes(lemma)) return [];
  return GOES.split(" ").filter((predicate) => predicate !== lemma)
    .map((predicate) => make(clause, { respect: "activity", predicate, value: goal, polarity: false }));
}

/** "We rebuilt our website with Astro", "Rolf upgraded to an iPhone 15", "switched to Organic Maps for navigating". */
export function guessRebuilt(clause: Clause): Guess[] {
  const { lemma, rest, form, isDenied, isPassive } = clause;
  if (form !== "past" || isDenied) return [];
  const said = `${lemma} ${rest}`;
  const built =
    /^(?:rebuild|rewrite|redo|port|migrate|move|convert|switch|transfer) (?:(?:(?:the|our|my|his|her|their) |(?=everything))(.+?) )?(?:with|in|on|onto|to|over to|using) (\p{Lu}.+)$/u
      .exec(said);
  if (built !== null && (built[1] !== undefined || isPassive)) {
    const subject = built[1] === undefined || /^(?:everything|all)\b/iu.test(built[1]) ? clause.subjectText : built[1];
    return [subject, subject.replace(/^.*'s /u, ""), subject.replace(/'s .*$/u, "")]
      .flatMap((one): Guess[] => [
        { respect: "tool", predicate: "uses", value: upTo(built[2]!), subject: one },
        { respect: "residence", predicate: "lives in", value: upTo(built[2]!), subject: one },
      ]);
  }
  const next =
    /^(?:upgrade|downgrade|switch|change|trade up|move up) to (?:an? |the )?(\p{Ll}?\p{Lu}.+?)(?: (?:for|when|while) (\p{L}+ing)\b.*)?$/u
      .exec(said.replace(/[.!]$/, ""));
  if (next === null) return [];
  const doing = next[2] === undefined
    ? []
    : [{ respect: "activity", predicate: lemmaOfIng(next[2]), value: `with ${next[1]}` } as const];
  return [{ respect: "possession", predicate: "has", value: next[1]! }, ...doing];
}

/** "I put my glasses in the drawer", "the sign was taken to the back door". */
export function guessPlace(clause: Clause): Claim[] {
  const { lemma, rest, form, isDenied, isPassive, speaker } = clause;
  if (
    isDenied || form !== "past" ||
    !/^(?:put|place|move|store|hang|stash|take|carry|bring|transfer|shift|keep|pack|park|lock)$/.test(lemma)
  ) {
    return [];
  }
  const said = isPassive
    ? rest
    : /^(?:my|our|the) .{1,60}? (?=(?:away |back |out |over |up |down )?(?:in|on|under|at|to|into|onto|behind|by) )/iu
      .exec(rest)?.[0];
  if (said === undefined) return [];
  const place = /^(?:away |back |out |over |up |down )?(?:in|on|under|at|to|into|onto|behind|by) (.+)$/iu.exec(
    isPassive ? rest : rest.slice(said.length),
  )?.[1];
  if (place === undefined || firstValue(place)?.kind === "day") return [];
  const subject = isPassive ? clause.subjectText : said.trim().replace(/^my /iu, `${speaker}'s `);
  return [make(clause, { respect: "residence", predicate: "lives in", value: upTo(place), subject })];
}

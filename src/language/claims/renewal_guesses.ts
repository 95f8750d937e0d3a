/** Guesses about things that somebody got, moved or raised, if the statement does not name what they replace. */
import type { Claim, Guessed } from "./claim.ts";
import type { Clause } from "./clause.ts";
import { upTo } from "./draft.ts";
import { endsOf, mark } from "./guess_draft.ts";
import { headOf, isProper } from "./phrases.ts";
import { contentStems, isSameValue, maskValues, stemsOf } from "./values.ts";

/** Makes and models by which people name a thing without saying what it is. */
const MAKES: readonly (readonly [string, RegExp])[] = [
  [
    "camera",
    /\b(?:Canon|Nikon|Fujifilm|Fuji|Leica|Pentax|Olympus|Hasselblad|Lumix|Sony (?:A|Alpha|RX)\S*|EOS|GoPro)\b/u,
  ],
  ["phone", /\b(?:iPhone|Pixel|Galaxy S\d*|Fairphone|OnePlus|Nokia|Motorola|Huawei|Xiaomi)\b/u],
  ["laptop", /\b(?:MacBook|ThinkPad|Chromebook|XPS|Surface|Zenbook|IdeaPad|laptop)\b/u],
  ["watch", /\b(?:Fitbit|Garmin|Apple Watch|Polar|Suunto|Coros|Galaxy Watch)\b/u],
  [
    "car",
    /\b(?:Honda|Toyota|Skoda|Golf|Passat|Volvo|BMW|Audi|Tesla|Fiat|Peugeot|Renault|Subaru|Mazda|Corolla|Civic|Prius|Kia|Hyundai|Opel)\b/u,
  ],
  ["bike", /\b(?:Trek|Giant|Canyon|Gazelle|Specialized|Cannondale|Brompton|Batavus)\b/u],
  ["reader", /\b(?:Kindle|Kobo|Tolino)\b/u],
  ["console", /\b(?:PlayStation|PS\d|Xbox|Switch)\b/u],
];
/** Verbs for what people do with a thing of their own. */
const HANDLES = "uses has shoot photograph work drive ride wear own take play run train type read carry".split(" ");

const PARTS =
  /\b(?:lens(?:es)?|printer|scanner|case|cover|strap|battery|charger|cable|bag|book|insurance|app|plan|shares?|stock|lessons?|clubs?|views?|coordinates|street|road|company|docs?|builds?|teams?|emulator|simulator|theme|shop|store|statements?)\b/iu;

/** The kind of a thing by its make; undefined: no make is known, or the value names a part or an accessory. */
function makeOf(value: string): string | undefined {
  return PARTS.test(value) ? undefined : MAKES.find(([, makes]) => makes.test(value))?.[0];
}

/** Matches words that limit a thing to one use: a person, a place or a purpose. */
const OF_ONE_USE = /\b(?:for|at|on the|company|work|office|truck|van)\b/iu;

/** "I've upgraded to a Nikon" after "I shoot with a Canon". */
function guessUpgrade(clause: Clause): Guessed[] {
  const { lemma, rest, form } = clause;
  const said = upTo(rest);
  const isChange = form === "past" && /^(?:upgrade|downgrade|switch|change|move|trade)$/.test(lemma);
  // "I've got a MacBook of my own now" after "I'm using my sister's old laptop"
  const isOwn = /^(?:have|get|buy)$/.test(lemma) && (clause.isNew || form === "past");
  const to = isChange
    ? /^(?:over |up |back )?to (?:an? |the |my )?(.+)$/iu.exec(said)?.[1]
    : isOwn
    ? /^(?:got |myself )?an? (.+?) of (?:my|his|her|their) own\b/iu.exec(said)?.[1]
    : undefined;
  const kind = to === undefined ? undefined : makeOf(to);
  if (to === undefined || kind === undefined) return [];
  // A thing for the children, for work or for the train is an additional one and replaces nothing.
  if (OF_ONE_USE.test(to)) return [];
  const outdates = ({ value, polarity, predicate }: Claim) =>
    polarity && makeOf(value) === kind && !isSameValue(value, to) && !OF_ONE_USE.test(value) &&
    (predicate === "play") === (predicate === "play" && kind === "console");
  const heads = [to, ...MAKES.filter(([name]) => name === kind).map(([name]) => name)];
  return [
    ...mark(clause, { predicates: HANDLES, value: to, outdates }),
    ...mark(clause, { subject: `${clause.subjectText}'s ${heads[1]}`, predicates: ["is"], value: to, outdates }),
  ];
}

/** "I got a new phone, an iPhone 15" after "my phone is a Pixel 6"; "I got a Philips to replace the Braun". */
function guessNewOne(clause: Clause): Guessed[] {
  const { lemma, rest, form, subjectText } = clause;
  if (form !== "past" || !/^(?:get|buy|purchase|order|receive|invest|treat)$/.test(lemma)) return [];
  const said = rest.replace(/^(?:me|us|myself|himself|herself|ourselves|themselves) (?:with |to )?/iu, "");
  const old = / to replace (?:my |the |our |his |her |their )?(?:old |broken )?(\p{L}[\p{L}\d -]*)/iu.exec(said)?.[1];
  const ended = old === undefined ? [] : endsOf(clause, subjectText, old);
  const owned = old === undefined ? [] : mark(clause, {
    subject: `${subjectText}'s ${headOf(upTo(said).replace(/ to replace .*$/iu, ""))}`,
    predicates: ["is"],
    value: `not ${old}`,
    outdates: ({ value }) => contentStems(old).every((stem) => stemsOf(value).includes(stem)),
  });
  const next = /^(?:in )?(?:got )?a (?:brand[- ]new|new) (\p{Ll}+(?: \p{Ll}+)?), (?:an? |the )?([^,.;!]+)/iu.exec(said);
  // An ordered thing is not there yet, and a present belongs to somebody else.
  const isOwn = lemma !== "order" &&
    !/\b(?:as an? (?:present|gift|spare|backup)|for (?:\p{Lu}|my |our |his |her |the |work))/u.test(said);
  if (next === null || clause.isAddition || !isOwn) return [...ended, ...owned];
  const isOther = ({ value, polarity }: Claim) => polarity && isProper(value) && !isSameValue(value, next[2]!);
  return [
    ...ended,
    ...owned,
    ...mark(clause, { subject: `${subjectText}'s ${next[1]}`, predicates: ["is"], value: next[2]!, outdates: isOther }),
  ];
}

const ON = /\b(?:on|in|with|at|via|through|using|from|to) (?:an? |the )?(\p{Ll}?\p{Lu}.*)$/u;
const KEEPS = "run host listen keep publish write store have has track manage do uses read edit log back save post sell"
  .split(" ");

/** "I've moved my blog over to Ghost" after "I run my blog on WordPress". */
function guessMigrated(clause: Clause): Guessed[] {
  const { lemma, rest, form, isPassive } = clause;
  if (form !== "past" || isPassive || !/^(?:move|switch|migrate|transfer|port|change|import|shift)$/.test(lemma)) {
    return [];
  }
  const said = /^(?:all )?(?:my|our|the) (.{2,40}?) (?:over |across )?(?:in)?to (?:an? |the )?(\p{Ll}?\p{Lu}.*)$/u
    .exec(upTo(rest));
  if (said === null || firstIsTime(said[2]!) || / (?:time|zone)$/iu.test(said[2]!) || NO_TOOL.test(said[2]!)) return [];
  // The claim is about some of them only.
  if (/ (?:for|about|as|with) /iu.test(said[1]!)) return [];
  const stems = contentStems(said[1]!);
  const own = `${clause.subjectText}'s ${said[1]}`;
  const isOther = ({ value, polarity }: Claim) => polarity && isProper(value) && !isSameValue(value, said[2]!);
  const held = [own, `${own} account`].flatMap((subject) =>
    mark(clause, { subject, predicates: ["works at", "lives in", "is"], value: said[2]!, outdates: isOther })
  );
  const kept = mark(clause, {
    predicates: KEEPS,
    value: `${said[1]} on ${said[2]}`,
    outdates: ({ value, polarity }) => {
      const where = ON.exec(value);
      return polarity && where !== null && !isSameValue(where[1]!, said[2]!) && stems.length > 0 &&
        stems.every((stem) => stemsOf(value.slice(0, where.index)).includes(stem));
    },
  });
  // "I use Evernote for my recipes"
  const used = mark(clause, {
    predicates: ["uses"],
    value: said[2]!,
    outdates: (older) =>
      isOther(older) && stems.length > 0 && stems.every((stem) => older.scope.split(" ").includes(stem)),
  });
  return [...held, ...kept, ...used];
}

/** Matches destinations that are no tools: a column, a milestone, a format, a language. */
const NO_TOOL =
  /^(?:Milestone|Row|Sprint|Phase|Version|Release|Done|In|Review|Backlog|Draft|Progress|Q\d|Column|Week|Day|Part|Page|Chapter|Room|Level|WebP|PNG|JPE?G|AVIF|TypeScript|JavaScript|Python|Rust|Go|Java|Kotlin|Markdown|JSON|YAML|TOML|CSV|PDF|HTML|SVG|English|German|French|Spanish|Italian|Dutch|Polish|UTC|UTF)\b/u;

function firstIsTime(text: string): boolean {
  return /^(?:day|clock|rhythm)$/.test(maskValues(text).values[0]?.kind ?? "");
}

const OBTAINS = "get buy order".split(" ");
/** Matches words that limit a habit to some of the time or to some of the things. */
const ONLY_THEN =
  /\b(?:when|whenever|while|if|only|ones|at work|at the office|on weekends|on (?:\p{Lu}\p{Ll}+days?)|in (?:summer|winter)|sometimes|as well|for (?:my|our|the|\p{Lu}))\b/u;
const FROM_SOURCE = /^(.+?) (?:from|at|through|via) (.+)$/iu;

/** "I get my groceries from a farm box now" after "I order my groceries from Rewe". */
function guessSource(clause: Clause): Guessed[] {
  const { lemma, rest, form, isPassive, isNew } = clause;
  const said = isNew && !isPassive && form !== "past" && OBTAINS.includes(lemma) && !ONLY_THEN.test(rest)
    ? FROM_SOURCE.exec(upTo(rest))
    : null;
  if (said === null) return [];
  return mark(clause, {
    predicates: OBTAINS.filter((verb) => verb !== lemma),
    value: rest,
    outdates: ({ value, polarity }) => {
      const old = FROM_SOURCE.exec(value);
      return polarity && old !== null && stemsOf(old[1]!).join(" ") === stemsOf(said[1]!).join(" ") &&
        !isSameValue(old[2]!, said[2]!);
    },
  });
}

const RAISED =
  /^(?:(?:my|the|his|her|their) (?:dose|dosage) )?(?:me |us )?(?:up |down |back )*(?:to|on) (\d\S* ?\p{L}*) of (\p{L}+)/iu;

/** "My doctor put me up to 75 mg of sertraline" after "I take 50 mg of sertraline". */
function guessDose(clause: Clause): Guessed[] {
  const { lemma, rest, form, isPassive } = clause;
  const isMine = !isPassive && /^(?:me|my)\b/iu.test(rest);
  if (form !== "past" || !/^(?:put|raise|increase|lower|reduce|cut|bring|move|go|bump|switch|step)$/.test(lemma)) {
    return [];
  }
  const said = RAISED.exec(rest);
  if (said === null || (!isMine && !isPassive && lemma !== "go")) return [];
  const amount = maskValues(said[1]!).values[0];
  return mark(clause, {
    subject: isMine ? clause.speaker : clause.subjectText,
    predicates: ["take", "is", "has", "get"],
    value: `${said[1]} of ${said[2]}`,
    outdates: ({ value, polarity }) => {
      const old = maskValues(value).values[0];
      return polarity && stemsOf(value).includes(stemsOf(said[2]!)[0]!) && old !== undefined && old.key !== amount?.key;
    },
  });
}

/**
 * A sum that somebody pays for a thing is its price: "my rent went up to 740 euros" after "I pay 680 euros for my
 * flat".
 */
const PRICES: readonly (readonly [RegExp, RegExp])[] = [
  [/\brent$/iu, /\b(?:rent|flat|apartment|room|house|place|studio)\b/iu],
  [/\b(?:fees?|price|subscription|membership|contract|bill|plan|premium)$/iu, /./u],
];

/** "Netflix costs me 15 euros now" after "I pay 12 euros for Netflix". */
function guessCost(clause: Clause): Guessed[] {
  const { lemma, rest, form, isNew, subjectText, speaker } = clause;
  const money = maskValues(rest).values.find(({ kind }) => kind === "money");
  const isCost = lemma === "cost" && isNew || form === "past" && /^(?:up|down) to /iu.test(rest) &&
      /^(?:go|come)$/.test(lemma);
  // A thing may have another price in each country, so a price abroad does not replace the one at home.
  if (/ in (?:the )?\p{Lu}/u.test(rest)) return [];
  const owned = /^(\S+)'s (.+)$/u.exec(subjectText);
  const stems = contentStems(owned?.[2] ?? subjectText);
  if (money === undefined || !isCost || stems.length === 0 || / by /u.test(` ${rest}`)) return [];
  // Somebody else's price is a different one.
  if (lemma === "cost" && !/^(?:(?:me|us|now|already) )*(?:about |around |almost |over )?[$€£]?\d/u.test(rest)) {
    return [];
  }
  return mark(clause, {
    subject: owned?.[1] ?? speaker,
    predicates: ["pay"],
    value: rest,
    outdates: ({ value, scope, polarity }) => {
      const old = maskValues(value).values.find(({ kind }) => kind === "money");
      return polarity && old !== undefined && old.key !== money.key && rhythmOf(value) === rhythmOf(rest) &&
        stems.every((stem) => stemsOf(`${value} ${scope}`).includes(stem));
    },
  });
}

function guessPrice(clause: Clause): Guessed[] {
  const { lemma, rest, form, isNew, subjectText } = clause;
  const owned = /^(\S+)'s (.+)$/u.exec(subjectText);
  const price = owned === null ? undefined : PRICES.find(([noun]) => noun.test(owned[2]!));
  const isChange = form === "past" || isNew;
  const money = maskValues(rest).values.find(({ kind }) => kind === "money");
  if (owned === null || price === undefined || !isChange || money === undefined || / by /u.test(` ${rest}`)) return [];
  if (!/^(?:be|go|rise|increase|drop|fall|raise|cost|come|climb|jump)$/.test(lemma)) return [];
  const topic = contentStems(owned[2]!.replace(price[0], ""));
  return mark(clause, {
    subject: owned[1]!,
    predicates: ["pay"],
    value: rest,
    outdates: ({ value, scope, polarity }) => {
      const said = `${value} ${scope}`;
      const old = maskValues(value).values.find(({ kind }) => kind === "money");
      return polarity && old !== undefined && old.key !== money.key && price[1].test(said) &&
        !/\b(?:hotel|hostel|garage)\b| in \p{Lu}| when /u.test(said) &&
        (topic.length > 0 || price === PRICES[0]) && topic.every((stem) => stemsOf(said).includes(stem));
    },
  });
}

function rhythmOf(text: string): string | undefined {
  return / (?:an?|per) (hour|day|week|month|year)\b/iu.exec(text)?.[1];
}

/** "I pay 95 euros a month for electricity now" after "my electricity bill is 70 euros a month". */
function guessBill(clause: Clause): Guessed[] {
  const { lemma, rest, form, isNew, subjectText } = clause;
  const said = upTo(rest);
  const money = maskValues(said).values.find(({ kind }) => kind === "money");
  // A price for several things ("and") does not replace the price of one of them.
  if (!isNew || form === "past" || money === undefined || / and \p{Ll}/u.test(rest)) return [];
  const isOther = ({ value, polarity }: Claim) => {
    const old = maskValues(value).values.find(({ kind }) => kind === "money");
    return polarity && old !== undefined && old.key !== money.key && rhythmOf(value) === rhythmOf(said);
  };
  // "I earn 19 euros an hour now" after "I get paid 17 euros an hour"
  if (/^(?:earn|make)$/.test(lemma)) {
    if (/ (?:on|as|for|at|from|with|by) /u.test(` ${rest}`)) return [];
    return mark(clause, {
      predicates: ["get", "pay", lemma === "earn" ? "make" : "earn"],
      value: said,
      outdates: (older) =>
        isOther(older) && / (?:an?|per) \p{L}+[.!]?$/u.test(older.value) &&
        (older.predicate !== "get" || /^paid /u.test(older.value)),
    });
  }
  const thing = lemma === "pay" ? / for (?:my |our |the )?(\p{L}+(?: \p{L}+)?)$/iu.exec(said)?.[1] : undefined;
  if (thing === undefined) return [];
  const names = [thing, ...["bill", "fee", "subscription", "plan"].map((noun) => `${thing} ${noun}`)];
  const rent = /^(?:flat|apartment|room|house)$/iu.test(thing) ? ["rent"] : [];
  return [...names, ...rent].flatMap((name) =>
    mark(clause, { subject: `${subjectText}'s ${name}`, predicates: ["is", "cost"], value: said, outdates: isOther })
  );
}

/** Guesses what somebody has instead of an older thing, or pays, takes or keeps in another way. */
export function guessRenewed(clause: Clause): Guessed[] {
  if (clause.isDenied || clause.isProgressive) return [];
  return [
    ...guessUpgrade(clause),
    ...guessNewOne(clause),
    ...guessMigrated(clause),
    ...guessSource(clause),
    ...guessDose(clause),
    ...guessCost(clause),
    ...guessBill(clause),
    ...guessPrice(clause),
  ];
}

/** The verbs by which claims are recognised, with their forms. A word that is not listed here begins no predicate. */

const REGULAR = (
  "live reside stay settle move relocate work join resign retire start stop quit use employ rely switch migrate change " +
  "replace drop like love hate enjoy dislike prefer support own possess adopt trade swap cancel close open marry divorce " +
  "date split call name rename cost weigh require need collect smoke play study graduate enrol enroll belong attend teach " +
  "talk host store keep locate base deploy serve bank commute order report lead manage maintain handle run rent lease share " +
  "speak learn visit return transfer sign withdraw postpone reschedule delay extend raise increase lower reduce cut shift push " +
  "bring upgrade downgrade promote appoint elect hire fire dismiss assign allow permit ban forbid prohibit grant revoke " +
  "remove expire hurt ache happen reopen resume turn shrink grow rise fall climb jump halve double drive ride eat drink take " +
  "wear get give go come sell buy lose become leave begin end act win write rewrite port hand step pass discharge finish " +
  "complete deprecate supersede archive merge pay owe cover depend want wish consist include contain subscribe unsubscribe " +
  "wipe convert opt pick choose charge last arrive depart land outgrow sit meet gather train volunteer care supply deliver " +
  "ship back follow cook bake sleep wake exercise swim practise practice bill invoice fund sponsor license book watch read " +
  "tell know see make do fly travel hold send receive accept process build test rotate renew refresh poll sync allocate " +
  "limit cap separate fill vacate lift suspend pause shelve scrap disable enable activate deactivate publish approve reject " +
  "decline put fix break repair resolve withhold part cycle walk settle stock sport earn spend save measure stand rank score " +
  "communicate coordinate collaborate answer address dump heal clear unlock lock solve reassign slip ditch abandon launch release upload download subscribe attend update bump authenticate validate monitor track print connect listen respond reply trigger fetch load cache produce display show " +
  "remain lack suffer identify vote pray paint draw sing dance hike surf ski jog row sail knit sew code program develop design edit " +
  "translate consult tutor mentor supervise oversee chair direct represent import export invest see die succeed bike stream pass " +
  "pack emigrate immigrate resettle find phase delete recover lapse freelance coach rebrand rechristen retitle headhunt poach " +
  "recruit kick lay let shut terminate decommission uninstall delist strike head dispatch accept shorten lengthen prolong trim slash set defer donate reinstate restore" +
  " agree decide skip suit fit please appeal steal say shave throw retrain rebuild navigate seat retry treat empty hang bear ring flip pull check tie respray repaint evict downsize" +
  " try enter reach install dismantle demolish renovate unblock unfreeze reactivate revert rehire oust renounce swear" +
  " discontinue sunset mothball vanish disappear wrap conclude commence swop exchange park grill brew moderate curate" +
  " captain anchor breed farm retain expose proxy mirror compile lint format transcribe query scan encrypt verify relaunch" +
  " demote sack outsource insource offshore consolidate unify carve spin leap flee escape retake resit skip miss forget" +
  " forgive ignore avoid shun cherish adore treasure crave fancy favour favor loathe detest despise tolerate resent" +
  " welcome embrace reunite reconcile elope cohabit woo snooze nap doze apply clean wash guard escort patrol insure" +
  " underwrite lend borrow achieve attain surpass improve boost charter dock moor camp lodge bunk squat retreat nest perch graze roam wander power fuel cool" +
  " illuminate pump drain irrigate groom shear confirm endorse ratify veto overturn reverse void annul nullify waive" +
  " remind fail root chat shower photograph browse carry sublet count exempt certify accredit crash freeze stall lag reboot restart rerun redeploy rehome rehouse"
).split(" ");

const IRREGULAR: Readonly<Record<string, string>> = {
  quit: "quit",
  cut: "cut",
  split: "split",
  hurt: "hurt",
  kept: "keep",
  held: "hold",
  taught: "teach",
  bought: "buy",
  brought: "bring",
  sold: "sell",
  gave: "give",
  given: "give",
  got: "get",
  gotten: "get",
  went: "go",
  gone: "go",
  goes: "go",
  came: "come",
  lost: "lose",
  became: "become",
  left: "leave",
  began: "begin",
  begun: "begin",
  wrote: "write",
  written: "write",
  rewrote: "rewrite",
  rewritten: "rewrite",
  drove: "drive",
  driven: "drive",
  rode: "ride",
  ate: "eat",
  eaten: "eat",
  drank: "drink",
  drunk: "drink",
  took: "take",
  taken: "take",
  wore: "wear",
  fell: "fall",
  fallen: "fall",
  rose: "rise",
  risen: "rise",
  grew: "grow",
  grown: "grow",
  ran: "run",
  led: "lead",
  chose: "choose",
  chosen: "choose",
  shrank: "shrink",
  shrunk: "shrink",
  outgrew: "outgrow",
  outgrown: "outgrow",
  withdrew: "withdraw",
  withdrawn: "withdraw",
  sat: "sit",
  met: "meet",
  paid: "pay",
  spoke: "speak",
  spoken: "speak",
  forbade: "forbid",
  forbidden: "forbid",
  broke: "break",
  broken: "break",
  won: "win",
  made: "make",
  did: "do",
  does: "do",
  done: "do",
  flew: "fly",
  flown: "fly",
  sent: "send",
  built: "build",
  knew: "know",
  known: "know",
  saw: "see",
  seen: "see",
  told: "tell",
  spent: "spend",
  stood: "stand",
  slept: "sleep",
  woke: "wake",
  swam: "swim",
  moved: "move",
  put: "put",
  sang: "sing",
  drew: "draw",
  drawn: "draw",
  shown: "show",
  oversaw: "oversee",
  found: "find",
  laid: "lay",
  rebuilt: "rebuild",
  hung: "hang",
  bore: "bear",
  borne: "bear",
  rang: "ring",
  swore: "swear",
  sworn: "swear",
  fled: "flee",
  froze: "freeze",
  frozen: "freeze",
  forgot: "forget",
  stole: "steal",
  stolen: "steal",
  retook: "retake",
  said: "say",
  threw: "throw",
  thrown: "throw",
  let: "let",
  hit: "hit",
  beat: "beat",
  shut: "shut",
  set: "set",
  struck: "strike",
};

/** The form of a verb; `past` is the past tense or the participle. */
export type VerbForm = "base" | "third" | "past" | "ing";

export interface Verb {
  readonly lemma: string;
  readonly form: VerbForm;
}

const FORMS: ReadonlyMap<string, Verb> = new Map([...listForms()]);

function* listForms(): Iterable<[string, Verb]> {
  for (const lemma of REGULAR) {
    const stem = lemma.endsWith("e") ? lemma.slice(0, -1) : lemma;
    const isY = /[^aeiou]y$/.test(lemma);
    const doubled = /^(?:[^aeiou]*[aeiou][bdgklmnprt])$/.test(lemma) ||
        /^(?:cancel|enrol|permit|forbid|transfer|defer|begin|travel)$/.test(lemma)
      ? lemma + lemma.at(-1)
      : null;
    yield [lemma, { lemma, form: "base" }];
    yield [isY ? `${lemma.slice(0, -1)}ies` : /(?:s|x|z|ch|sh|o)$/.test(lemma) ? `${lemma}es` : `${lemma}s`, {
      lemma,
      form: "third",
    }];
    yield [isY ? `${lemma.slice(0, -1)}ied` : `${stem}ed`, { lemma, form: "past" }];
    yield [`${stem}ing`, { lemma, form: "ing" }];
    if (doubled !== null) {
      yield [`${doubled}ed`, { lemma, form: "past" }];
      yield [`${doubled}ing`, { lemma, form: "ing" }];
    }
  }
  yield ["lying", { lemma: "lie", form: "ing" }];
  for (const [form, lemma] of Object.entries(IRREGULAR)) {
    yield [form, { lemma, form: /^(?:goes|does)$/.test(form) ? "third" : "past" }];
  }
}

/** The verb that a lower-case word can be a form of. */
export function findVerb(word: string): Verb | undefined {
  return FORMS.get(word);
}

/** Verbs whose past tense marks a change; the past tense of other verbs is about the past. */
const EVENTS = (
  "move relocate settle join resign retire start stop quit switch migrate change replace drop adopt trade swap cancel close " +
  "marry divorce split rename graduate transfer sign withdraw postpone reschedule delay extend raise increase lower reduce cut " +
  "shift push bring upgrade downgrade promote appoint elect hire fire dismiss grant revoke remove expire reopen resume turn " +
  "shrink grow rise fall climb jump halve double give sell buy lose become leave begin end rewrite port hand step pass " +
  "discharge finish complete deprecate archive break outgrow wipe convert opt pick choose fill lift suspend pause shelve scrap " +
  "disable enable activate deactivate publish approve reject decline fix repair resolve get go name call assign unsubscribe " +
  "dump heal clear unlock lock solve open reassign slip ditch abandon put return take ban forbid prohibit update bump die succeed expire " +
  "emigrate immigrate resettle find phase delete recover lapse rebrand rechristen retitle headhunt poach recruit kick lay let " +
  "shut terminate decommission uninstall delist strike separate merge pay ship dispatch deliver paint remove accept shorten lengthen prolong trim slash set defer donate reinstate restore hike " +
  "retrain rebuild respray repaint evict downsize install dismantle demolish unblock unfreeze reactivate revert oust renounce discontinue mothball vanish disappear conclude demote sack come relaunch reach hit surpass improve achieve attain check flip pull tie exchange swop jump wash waive overturn veto annul restart reboot"
).split(" ");
const EVENT_SET: ReadonlySet<string> = new Set(EVENTS);

/** Whether a verb names something that happens once, such as "sign" or "cancel". */
export function isEvent(lemma: string): boolean {
  return EVENT_SET.has(lemma);
}

/** The base form of a word in -ing. */
export function lemmaOfIng(word: string): string {
  const known = FORMS.get(word.toLowerCase());
  if (known?.form === "ing") return known.lemma;
  const stem = word.toLowerCase().slice(0, -3);
  if (/([bdgklmnprt])\1$/.test(stem) && !/(?:ll|ss)$/.test(stem)) return stem.slice(0, -1);
  return /(?:us|smok|driv|liv|mov|mak|tak|danc|manag|writ|ris|com|giv|leav|vot|stor|hik|bik|shar)$/.test(stem)
    ? `${stem}e`
    : stem;
}

const SPELLED: ReadonlyMap<string, { readonly past?: string; readonly ing?: string }> = spell();

function spell() {
  const spelled = new Map<string, { past?: string; ing?: string }>();
  for (const [word, { lemma, form }] of FORMS) {
    if (form !== "past" && form !== "ing") continue;
    const known = spelled.get(lemma) ?? {};
    // The spelling with a doubled consonant and the irregular past come later in `FORMS`, so they replace the others.
    spelled.set(lemma, { ...known, [form]: word });
  }
  return spelled;
}

/** The form in -ing of a verb. */
export function ingOf(lemma: string): string {
  return SPELLED.get(lemma)?.ing ?? `${lemma.replace(/(?<=[^e])e$/u, "")}ing`;
}

/** Past participles that the lists lack, or do not have as the last form of a verb. */
const PARTICIPLES: Readonly<Record<string, string>> = {
  run: "run",
  rerun: "rerun",
  come: "come",
  become: "become",
  swim: "swum",
  sing: "sung",
  wear: "worn",
  ride: "ridden",
  wake: "woken",
  forget: "forgotten",
  ring: "rung",
  retake: "retaken",
  oversee: "overseen",
  shrink: "shrunk",
  get: "got",
  reset: "reset",
};
/** Past tenses of verbs whose participle is another word. */
const PAST_TENSES: Readonly<Record<string, string>> = Object.fromEntries(
  ("give gave go went begin began write wrote rewrite rewrote drive drove ride rode eat ate drink drank take took wear wore fall " +
    "fell rise rose grow grew run ran come came become became choose chose shrink shrank outgrow outgrew withdraw withdrew speak " +
    "spoke forbid forbade break broke do did fly flew know knew see saw wake woke swim swam sing sang draw drew oversee oversaw " +
    "bear bore ring rang swear swore freeze froze forget forgot steal stole retake retook throw threw show showed get got")
    .split(" ").reduce<[string, string][]>((pairs, word, i, words) => {
      if (i % 2 === 1) pairs.push([words[i - 1]!, word]);
      return pairs;
    }, []),
);
/** Verbs of two syllables and more whose last consonant is doubled before -ed. */
const DOUBLES =
  /^(?:[^aeiou]*|s?qu)[aeiou][bdgklmnprt]$|^(?:(?:com|sub|ad|o|per|re|e|trans)mit|debug|(?:oc|re|in|con)cur|(?:re|pre|de|in|con|trans)fer|regret|equip|patrol|control|(?:com|ex|pro|im|re|dis)pel|rebel|unplug|format|kidnap|program|enrol|cancel)$/u;

const IRREGULAR_LEMMAS: ReadonlySet<string> = new Set(Object.values(IRREGULAR));

/**
 * The past participle of a verb, as after "has": "written". If no list has the verb, it follows the rules of spelling.
 */
export function pastOf(lemma: string): string {
  const listed = Object.hasOwn(PARTICIPLES, lemma) ? PARTICIPLES[lemma] : undefined;
  if (listed !== undefined) return listed;
  if (lemma === "read" || FORMS.get(lemma)?.form === "past") return lemma;
  if (DOUBLES.test(lemma) && !IRREGULAR_LEMMAS.has(lemma)) return `${lemma}${lemma.at(-1)}ed`;
  const known = SPELLED.get(lemma)?.past;
  if (known !== undefined) return known;
  return lemma.endsWith("e") ? `${lemma}d` : /[^aeiou]y$/u.test(lemma) ? `${lemma.slice(0, -1)}ied` : `${lemma}ed`;
}

/** The simple past of a verb: "wrote". */
export function pastTenseOf(lemma: string): string {
  return (Object.hasOwn(PAST_TENSES, lemma) ? PAST_TENSES[lemma] : undefined) ?? pastOf(lemma);
}

/** Words that end like a past form or a third person and are none. */
const NO_FORM =
  /(?:^(?:speed|need|feed|seed|bleed|breed|heed|weed|proceed|succeed|exceed|embed|shed|hundred|naked|sacred)$|[^s]ss$|us$|is$)/u;

/**
 * Guesses by its ending what a word that no list contains may be: a past form or participle (-ed), a third person (-s),
 * or else the base of a verb. It does not know whether the word is a verb at all: only its place in the sentence shows
 * that.
 */
export function guessVerb(word: string): Verb | null {
  if (!/^\p{Ll}{3,}$/u.test(word)) return null;
  if (NO_FORM.test(word)) return { lemma: word, form: "base" };
  const past = word.slice(0, -2);
  if (word.endsWith("ed") && /[aeiouy]/u.test(past)) {
    // "freed", "added", "tried"
    const lemma = past.endsWith("e")
      ? `${past}e`
      : /^[aeiou](\p{Ll})\1$/u.test(past)
      ? past
      : /([bdgklmnprt])\1$/u.test(past) && !/(?:ll|ss)$/u.test(past)
      ? past.slice(0, -1)
      : past.endsWith("i")
      ? `${past.slice(0, -1)}y`
      : lemmaOfIng(`${past}ing`);
    return { lemma, form: "past" };
  }
  const third = /^(.+[^s])s$/u.exec(word)?.[1];
  if (third === undefined) return { lemma: word, form: "base" };
  // "dies" has the "ie" of "die", "tries" the "y" of "try".
  const lemma = /^[^aeiou]ie$/u.test(third)
    ? third
    : /ie$/u.test(third)
    ? `${third.slice(0, -2)}y`
    : third.replace(/(?<=sh|ch|x|z|ss|[^aeiou]o)e$/u, "");
  return { lemma, form: "third" };
}

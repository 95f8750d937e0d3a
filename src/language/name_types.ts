/**
 * Reads the type of a name from a text: in "my sister Anna" it is a person, in "works at Acme" an organization. The
 * rules for English read the words beside the name, and of the name itself only a word that says the type ("Acme
 * Corp"). Pure.
 */

export const NAME_TYPES = ["person", "organization", "place", "product", "project"] as const;
export type NameType = (typeof NAME_TYPES)[number];

/** How much of the text before and after a name the rules read, in UTF-16 units. */
const WINDOW = 60;
/** The most places of a name in a text that are read. */
const PLACES_MAX = 3;

const PERSON_NOUN =
  "(?:sister|brother|mother|father|mum|mom|dad|aunt|uncle|cousin|niece|nephew|wife|husband|son|daughter|girlfriend|boyfriend|partner|fianc[eé]e?|friend|boss|manager|colleague|coworker|neighbou?r|landlord|landlady|teacher|professor|coach|trainer|doctor|dentist|vet|nurse|therapist|editor|author|singer|drummer|cofounder|co-founder|roommate|flatmate|lawyer|plumber|electrician|mechanic|cleaner|contact|candidate|assistant|intern|student|grand(?:ma|pa|mother|father)|baby|kid)";
const ONE_NAME = "[\\p{Lu}][\\p{L}'-]+(?: [\\p{Lu}][\\p{L}'-]+)?";

interface TypeRule {
  readonly type: NameType;
  readonly before?: RegExp;
  readonly name?: RegExp;
  readonly after?: RegExp;
}

/**
 * In order; the first that fits decides. Each is about the text before the name, the name itself, or the text after it.
 */
const RULES: readonly TypeRule[] = [
  {
    type: "organization",
    name:
      /(?:^| )(?:Corp|Corporation|Inc|Ltd|LLC|GmbH|AG|PLC|plc|Company|University|College|Institute|Hospital|Bank|Foundation|Ventures|Airlines|Association|Ministry|Agency|Council|Church|School|Museum|Library|Club|Orchestra|Records|Press|Labs?)\.?$|^(?:University|Bank|Ministry|Institute|Museum) of /u,
  },
  {
    type: "place",
    name:
      /(?:^| )(?:City|Street|Avenue|Road|Square|Lake|Island|River|Valley|Beach|Park|Bridge|County|Mountains?|Canyon|Ocean|Airport|Station)$|^(?:Mount|Lake|Mt|Port|Cape|San|Santa|Saint|St|North|South|New) \p{Lu}/u,
  },
  { type: "person", before: /(?:^|[^\p{L}])(?:Mr|Mrs|Ms|Mx|Dr|Prof|Professor|Doctor|Frau|Herr|Aunt|Uncle|Sir)\.? $/u },
  { type: "person", name: /^(?:Mr|Mrs|Ms|Mx|Dr|Prof|Professor|Doctor|Frau|Herr|Aunt|Uncle|Sir)\.? \p{Lu}/u },
  { type: "person", before: new RegExp(`\\b${PERSON_NOUN}(?:,| is| was|'s name is|:)?(?: (?:called|named))? $`, "iu") },
  { type: "project", before: /\bproject(?: is)?(?: (?:called|named|code-?named))? $/iu },
  { type: "project", after: /^ project\b/u },
  {
    type: "organization",
    before:
      /\b(?:company|employer|startup|client|customer|vendor|supplier|publisher|bank|insurer|agency|school|team)(?: is|,)?(?: (?:called|named))? $/iu,
  },
  {
    type: "product",
    before: /\b(?:app|tool|library|framework|product|database|game|service)(?: is|,)?(?: (?:called|named))? $/iu,
  },
  {
    type: "organization",
    before:
      /\b(?:works?|worked|working|employed|interned|job|position|role|internship|intern|hired|start(?:s|ed)?) (?:at|for|by|with) (?:the )?$/iu,
  },
  {
    type: "place",
    before:
      /\b(?:(?:lives?|lived|living|born|based|located|grew up|raised|vacation(?:ing)?|holiday|stay(?:s|ed|ing)?|resides?|apartment|flat|house) (?:in|near)|(?:fly|flies|flew|flying|travel(?:s|led|ed|ling|ing)?|trip|move|moves|moving|relocat(?:e|es|ed|ing)|emigrated|drove|commutes?) (?:back )?(?:to|from)|visit(?:s|ed|ing)?|office in|city of|(?:is|are|was|were) from) $/iu,
  },
  // In "Ann moved to Oslo", a person moves to a place; in "the site moved to Vercel", Vercel is no place.
  {
    type: "place",
    before: new RegExp(
      `(?:^|[.!?] )${ONE_NAME} (?:has |have |also |just |recently )?moved (?:back )?(?:from ${ONE_NAME} )?to $`,
      "u",
    ),
  },
  {
    type: "product",
    before:
      /\b(?:us(?:e|es|ed|ing)|switch(?:ed|es|ing)? (?:from [\p{L}\d.+-]+ )?to|switched from|migrat(?:e|ed|es|ing) (?:from [\p{L}\d.+-]+ )?to|upgraded to|built (?:with|on|in)|powered by|written in|runs? on|running on|hosted on|deploy(?:s|ed)? (?:to|on)|installed|install|programs? in|coded in) $/iu,
  },
  {
    type: "person",
    after:
      /^(?: (?:says?|said|thinks?|thought|believes?|likes?|loves?|hates?|prefers?|wants?|enjoys?|hopes?|told|asked|agreed|promised|married|divorced|studies|studied|speaks?|graduated|volunteers?|cooks?|lives in|lived in|works (?:at|as|for|in|from)|worked (?:at|as|for)|was born|is allergic|is married|is pregnant|is vegetarian|is vegan|is on (?:parental leave|holiday|vacation)|got (?:married|promoted|divorced))\b|'s (?:wife|husband|sister|brother|mother|father|son|daughter|mum|mom|dad|birthday|boss|boyfriend|girlfriend|kids|children|parents)\b)/u,
  },
];

/** The type that a text gives a name; undefined: it says none. `name` must be spelt as in the text. */
export function typeOfName(text: string, name: string): NameType | undefined {
  let at = text.indexOf(name);
  for (let place = 0; place < PLACES_MAX && at !== -1; place++, at = text.indexOf(name, at + name.length)) {
    const before = text.slice(Math.max(0, at - WINDOW), at);
    const after = text.slice(at + name.length, at + name.length + WINDOW);
    const found = RULES.find((rule) =>
      (rule.before?.test(before) ?? true) && (rule.name?.test(name) ?? true) && (rule.after?.test(after) ?? true)
    );
    if (found !== undefined) return found.type;
  }
  return undefined;
}

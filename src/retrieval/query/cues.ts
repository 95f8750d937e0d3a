/** The cues of a query: what its wording asks for. */
import type { DateWindow } from "../../language/dates.ts";
import { wordSet } from "../../language/word_set.ts";
import { isStopWord, type Word } from "../../language/tokenise.ts";
import { type QueryTerm, SCAFFOLD_WORDS } from "./terms.ts";

/** What a question asks for. */
export interface QueryCues {
  /** It asks for a time. */
  readonly when: boolean;
  /** It asks for what is to come, or for a time, which may lie ahead. */
  readonly ahead: boolean;
  /** It asks for a place. */
  readonly where: boolean;
  /** It asks for the title of a work, such as a book or a film. */
  readonly title: boolean;
  /** It asks for several things. */
  readonly list: boolean;
  /** It asks for a number. */
  readonly count: boolean;
  /** It asks what the service was told or has stored, so its dates mean the time of recording. */
  readonly recording: boolean;
  /** It asks for what is not so. */
  readonly denial: boolean;
}

/** "What did I tell you", "what have you learned", "what was stored in memory". */
const RECORDING =
  /\b(?:i|we)(?:'ve|'d)?(?: have| had)?(?: ever| just| already)? (?:tell|told|teach|taught|give|given|gave|say|said|mention|mentioned|ask|asked)(?: to)? you\b|\byou(?:'ve|'d)?(?: have| had)?(?: ever| just| already| newly)? (?:learn|learned|learnt|store|stored|save|saved|record|recorded|remember|remembered|note|noted|add|added|memori[sz]e|memori[sz]ed|capture|captured|write down|written down)\b|\b(?:i|we) (?:store|stored|save|saved|record|recorded|memori[sz]e|memori[sz]ed)\b|\b(?:stored|saved|recorded|added|noted|imported|new)\b.*\b(?:memory|memories|facts)\b|\b(?:memory|memories|facts)\b.*\b(?:stored|saved|recorded|added|noted|imported)\b|\bwhat(?: was|'s been| has been|'s| is| got) (?:newly )?(?:stored|saved|recorded|memori[sz]ed|learned|learnt)\b/;

/** "Where will we move?", "what is planned?"; in small letters after the first word, because people are called Will. */
const AHEAD =
  /^\W*(?:[Ww]ill|[Ss]hall)\b|.\b(?:will|won['’]t|shall|going to|plans?|planned|planning|upcoming|coming|next|soon|ahead|later|future)\b|['’]ll\b/;

/** Reads what a query asks for. */
export function findCues(text: string, words: readonly Word[]): QueryCues {
  const lower = text.toLowerCase();
  const asks = /\b(?:what|which|whose|name)\b/.test(lower);
  const first = words.slice(0, 6).map((w) => w.folded);
  const head = first.findIndex((w) => w === "what" || w === "which");
  const plural = head >= 0 &&
    first.slice(head + 1, head + 4).some((w) =>
      LIST_CUES.has(w) || /[^s]s$/.test(w) && w.length > 3 && !isStopWord(w, "search")
    );
  const when =
    /^\W*(?:(?:since|until|by|from)\s+)?when\b|\bwhen (?:did|was|were|is|are|does|do|will|has|have|had)\b|\bhow (?:long|recently)\b|\bhow many (?:days|weeks|months|years)\b|\b(?:what|which) (?:day|date|month|year|time)\b/
      .test(lower);
  return {
    when,
    ahead: when || AHEAD.test(text),
    where:
      /\bwhere\b|\b(?:what|which) (?:city|country|state|town|place|places|cities|countries|states|location|area|region)\b/
        .test(lower),
    title: asks && words.some((w) => TITLED_WORKS.has(w.folded)),
    list: plural || /\bwhat (?:all|are|were)\b|\blist\b/.test(lower),
    count: /\bhow (?:many|often)\b/.test(lower),
    recording: RECORDING.test(lower),
    denial: /\b(?:not|never|no longer|without|cannot)\b|n['’]t\b/.test(lower),
  };
}

/** Whether a word of a query only frames the question, so that a text which answers it need not hold it. */
export function framesQuestion(word: string): boolean {
  return SCAFFOLD_WORDS.has(word) || word === "know";
}

/** Whether a query asks for nothing but what is known of some names: "Tell me about Bob", "What do you know of Bob?" */
export function asksOnlyOf({ terms }: { readonly terms: readonly QueryTerm[] }, names: ReadonlySet<string>): boolean {
  return terms.every(({ word }) => names.has(word) || framesQuestion(word) || RECORDING_WORDS.has(word));
}

/**
 * Whether a query with dates asks only what was or will be at that time: "what happened in May",
 * "what is planned for tomorrow", "what did Caroline do last week". Only then is a date alone a
 * reason to return anything.
 * @param isName whether a word of the query names somebody
 */
export function asksOnlyOfTime(
  { windows, terms, cues }: {
    readonly windows: readonly DateWindow[];
    readonly terms: readonly QueryTerm[];
    readonly cues: QueryCues;
  },
  isName: (term: QueryTerm) => boolean,
): boolean {
  return windows.length > 0 &&
    terms.every((term) =>
      SCAFFOLD_WORDS.has(term.word) || TIME_QUESTION_WORDS.has(term.word) ||
      cues.recording && RECORDING_WORDS.has(term.word) || isName(term)
    );
}

/** Words that ask what happens at a time and do not say what. */
const TIME_QUESTION_WORDS = wordSet(`
  occur occurs occurred occurring event events plan plans planned planning schedule schedules scheduled scheduling agenda agendas
  calendar calendars appointment appointments due upcoming coming place news new changed change changes done doing
  program programme anything something everything date dates day days week weeks month months year years
`);

/** Words that ask what the service was told or has stored. */
const RECORDING_WORDS = wordSet(`
  learn learns learned learnt learning store stores stored storing save saves saved saving record records recorded recording
  remember remembers remembered note notes noted add adds added adding memorise memorised memorize memorized capture captured
  write wrote written teach taught give gave given ask asked import imported memory memories fact facts knowledge information info
`);

/** Kinds of works that have a title: a question for one is answered by a quoted or capitalised phrase. */
const TITLED_WORKS = wordSet(`
  book books novel novels movie movies film films song songs album albums show shows series game games band bands artist artists
  title titles author authors musician musicians play poem magazine podcast
`);

/** Plural heads that ask for several answers: "what books", "which places". */
const LIST_CUES = wordSet(`
  all both several various different other each every types kinds sorts things ways activities hobbies
`);

/** Words by which a text or a question shows what it is: who speaks, what kind of answer is asked for. */
import { wordSet } from "../language/word_set.ts";

/** Words that frame a question and seldom occur in its answer. They count for little in a query. */
export const SCAFFOLD_WORDS = wordSet(`
  kind kinds type types sort sorts thing things way ways person people time times name names named mention mentions mentioned
  say says said tell tells told describe describes described discuss discusses discussed talk talks talked talking
  share shares shared get gets got getting have make makes made making go goes went gone going take takes took taken taking
  use uses used using like likes liked think thinks thought feel feels felt consider considered considering
  many much long often likely regarding specific different various
  happen happens happened according currently recently
`);

/** Words that ask what happens at a time and do not say what. */
export const TIME_QUESTION_WORDS = wordSet(`
  occur occurs occurred occurring event events plan plans planned planning schedule schedules scheduled scheduling agenda agendas
  calendar calendars appointment appointments due upcoming coming place news new changed change changes done doing
  program programme anything something everything date dates day days week weeks month months year years
`);

/** Words that ask what the service was told or has stored. */
export const RECORDING_WORDS = wordSet(`
  learn learns learned learnt learning store stores stored storing save saves saved saving record records recorded recording
  remember remembers remembered note notes noted add adds added adding memorise memorised memorize memorized capture captured
  write wrote written teach taught give gave given ask asked import imported memory memories fact facts knowledge information info
`);

/** Words by which writers refer to themselves, folded. */
export const FIRST_PERSON = wordSet(
  "i im ive id ill me my mine myself we us our ours ourselves weve",
);

/** Kinds of works that have a title: a question for one is answered by a quoted or capitalised phrase. */
export const TITLED_WORKS = wordSet(`
  book books novel novels movie movies film films song songs album albums show shows series game games band bands artist artists
  title titles author authors musician musicians play poem magazine podcast
`);

/** Plural heads that ask for several answers: "what books", "which places". */
export const LIST_CUES = wordSet(`
  all both several various different other each every types kinds sorts things ways activities hobbies
`);

/**
 * Word lists of the analyser: what carries no meaning for search, and what only frames a question.
 *
 * They are part of the index format: a change of STOP_WORDS needs a rebuild of the postings.
 */

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Never indexed. Contracted forms stand without their apostrophe, as the tokeniser gives them. */
export const STOP_WORDS: ReadonlySet<string> = words(`
 a an the this that these those such either neither no nor not same so than too very just
 and or but if because as until while of at by for with about against between into through above below to from
 in on under again further here there where when why how what which who whom whose
 i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
 they them their theirs themselves 
 am is are was were be been being have has had having do does did doing done will would shall should can could may might must ought
 im ive id ill youre youve youd youll hes hed hell shes shed shell its itd itll weve wed theyre theyve theyd theyll
 thats thatll theres whats whos wheres hows lets isnt arent wasnt werent hasnt havent hadnt wont wouldnt shant shouldnt cant cannot
 couldnt mustnt neednt dont doesnt didnt aint gonna wanna gotta kinda yeah yep yes oh ok okay hey hi hello wow um uh hmm haha lol
 also else even ever really quite rather yet still already though although however therefore thus hence upon per via
 etc eg ie vs ll ve re
`);

/** Words that frame a question and seldom stand in its answer: they count for little in a query. */
export const SCAFFOLD_WORDS: ReadonlySet<string> = words(`
  kind kinds type types sort sorts thing things way ways person people time times name names named mention mentions mentioned
  say says said tell tells told describe describes described discuss discusses discussed talk talks talked talking
  share shares shared get gets got getting have make makes made making go goes went gone going take takes took taken taking
  use uses used using like likes liked think thinks thought feel feels felt consider considered considering
  many much long often likely regarding specific different various
  happen happens happened according currently recently
`);

/** Words that say the writer speaks of himself or herself. */
export const FIRST_PERSON: ReadonlySet<string> = words(
  "i im ive id ill me my mine myself we us our ours ourselves weve",
);

/** Kinds of works that have a title: a question for one is answered by a quoted or capitalised phrase. */
export const TITLED_WORKS: ReadonlySet<string> = words(`
  book books novel novels movie movies film films song songs album albums show shows series game games band bands artist artists
  title titles author authors musician musicians play poem magazine podcast
`);

/** Plural heads that ask for several answers: "what books", "which places". */
export const LIST_CUES: ReadonlySet<string> = words(`
  all both several various different other each every types kinds sorts things ways activities hobbies
`);

/**
 * Words that carry no meaning of their own, for each form in which a text is split (see `WordForm`).
 *
 * Stored data depends on these lists: postings on that of the `search` form, vectors of the built-in embeddings on that
 * of the `prose` form. A change of either list needs that data to be computed again.
 */
import { wordSet } from "./word_set.ts";

const IN_BOTH = wordSet(`
  a an the this that these those such same so than too very just no nor not
  and or but if as until while of at by for with about into through to from in on under again further
  here there when where why how what which who whom
  i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
  it its itself they them their theirs themselves
  am is are was were be been being have has had having do does did doing will would should can could
  also really gonna yeah yes oh ok okay hey hi hello wow
`);

/** Contracted forms, with their apostrophe, that belong to both lists. */
const CONTRACTED_IN_BOTH = wordSet(`
  i'm i've i'd i'll it's let's that's they're we're we've you'd you'll you're you've
  isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't shouldn't can't couldn't don't doesn't didn't
`);

/** Contracted forms are listed without their apostrophe ("dont"), as the search form writes them. */
const IN_SEARCH = wordSet(`
  either neither against between above below because whose done shall may might must ought
  hes hed hell shes shed shell itd itll wed theyve theyd theyll thatll theres whats whos wheres hows
  shant cannot mustnt neednt aint wanna gotta kinda yep um uh hmm haha lol
  else even ever quite rather yet still already though although however therefore thus hence upon per via
  etc eg ie vs ll ve re
`);

const IN_PROSE = wordSet(`
  after all any before both down during each few more most now off once only other out over own some then up us
  we'll got get thanks thank
`);

function withoutApostrophes(words: ReadonlySet<string>): string[] {
  return [...words].map((word) => word.replaceAll("'", ""));
}

export const STOP_WORDS: { readonly search: ReadonlySet<string>; readonly prose: ReadonlySet<string> } = {
  search: new Set([...IN_BOTH, ...withoutApostrophes(CONTRACTED_IN_BOTH), ...IN_SEARCH]),
  prose: new Set([...IN_BOTH, ...CONTRACTED_IN_BOTH, ...IN_PROSE]),
};

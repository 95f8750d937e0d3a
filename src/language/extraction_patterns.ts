/**
 * An ordered table of patterns over the head of an English sentence, which decide what is worth
 * keeping.
 *
 * Everything that no pattern matches is chit-chat. Each pattern is anchored, and its repetitions
 * are bounded, so that it takes linear time on any text.
 */
import type { FactType } from "./fact_types.ts";

export interface ExtractionPattern {
  /** What the pattern recognises, for tests and traces. */
  readonly kind: string;
  readonly factType: FactType;
  readonly confidence: number;
  readonly pattern: RegExp;
  /** A sentence that also matches this is chit-chat, and no later pattern is tried. */
  readonly except?: RegExp;
  /** Kept only if a user says it: no tool's output and no agent may instruct. */
  readonly userOnly?: true;
}

const DEGREE =
  "(?:(?:really|absolutely|just|also|still|actually|always|kinda|honestly|totally|definitely|especially|truly|recently|finally|usually|often|currently|now|only|both|all|even|then|first|once|already|just now|personally|deeply|mostly|mainly|so|very|super|pretty|quite|simply|never|sometimes|originally|lately) ){0,3}";

const IRREGULAR_PASTS =
  "went|bought|got|had|made|took|saw|met|came|ran|gave|found|left|lost|won|wrote|read|sold|sent|spent|began|started|broke|brought|built|caught|drove|drank|ate|fell|flew|grew|held|kept|knew|led|learnt|paid|put|quit|rode|sang|sat|set|slept|spoke|stood|swam|taught|told|woke|wore|hung|did|chose|dreamt|fed|fought|hit|hurt|lent|shot|threw|became|forgot|rang|cut|let|drew|shut|hosted|been|done|gone|seen|taken|written|given|known|grown|chosen|eaten|driven|flown|broken|fallen|become|begun|ridden|spoken|swum|worn|run";

const FEELING =
  "happy|glad|excited|sorry|proud|thankful|grateful|thrilled|sad|sure|fine|good|great|okay|ok|well|tired|stoked|pumped|curious|impressed|amazed|afraid|lucky|blessed|honou?red|touched|surprised|relieved|worried|jealous|hopeful|psyched|ready|free|down|up|here|there|back";

const of = (source: string) => new RegExp(`^(?:${source})`, "iu");

/** In order: the first pattern that matches decides. */
export const EXTRACTION_PATTERNS: readonly ExtractionPattern[] = [
  {
    kind: "instruction",
    factType: "instruction",
    confidence: 0.85,
    userOnly: true,
    pattern: of(
      "from now on|going forward|in (?:the )?future,? |make sure (?:to|you|that) |(?:please )?(?:don't|do not) ever |(?:you should |you must |you need to |please )(?:always|never) |please (?:don't|do not|avoid|use|keep|write|answer|reply|respond|stop) |i want you to |remember to |don't forget to |(?:please )?(?:answer|address|write to|call|message|email|text|remind|contact) me (?:only |always |again )?(?:in (?!(?:\\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|half)\\b)|with|on|via|before|after|an? \\p{L}+ before|formally|informally|briefly)\\b|(?:please )?(?:use|avoid|stop using|keep|put|skip|leave out) (?:\\S+ ){0,4}?your (?:answers|replies|responses|messages|texts)\\b|(?:feel free to|do not|don't) use (?:\\S+ ){1,3}(?:from now on|when you (?:write|talk|answer|reply))\\b",
    ),
    except:
      /\b(?:i'll|i will|we'll|we will) |^please (?:keep|stop) (?:it|me|in|going|doing|up)\b|^(?:please )?\S+ (?:to )?me\b[^:]*:|^(?:please )?(?:use|keep|put) .*\b(?:this|below|above)\b/iu,
  },
  {
    kind: "rule",
    factType: "instruction",
    confidence: 0.8,
    userOnly: true,
    pattern: of(
      "(?:always|never) [a-z]{2,20} |no (?:[\\p{L}\\d'/-]+ ){1,8}(?:(?:please|pls|plz)\\b|ever[.!]*$)",
    ),
    except:
      /^(?:always|never) (?:mind|heard|been|thought|knew|seen|said|good|great|nice|fun|wanted|loved|had|did|was|is|will|love|here|there|happy|glad|wonder|wondering|too|forget|would|could|really|ever|in|on|tried|gets?|got|felt|feels|makes|the|an? |so|again|give up|stop|lose|know) ?/iu,
  },
  {
    kind: "house rule",
    factType: "instruction",
    confidence: 0.8,
    userOnly: true,
    pattern: of(
      "(?:use|prefer|avoid|stick to|follow|only use|write|run|keep|name|no) (?!(?:this|that|it|the|my|your|these|those|me|idea|problem|worries|way|thanks|need|rush|one|matter|doubt|clue|longer)\\b)(?=.*\\b(?:not|never|instead of|rather than|always|only|everywhere|for all|in all|in every|no)\\b)|no (?:\\p{L}+ ){1,3}(?:without|in|on|before|after|unless) |(?:[\\p{L}']+ ){0,4}(?:rules?|conventions?|guidelines?|standards?|preferences)\\b[^:]{0,60}: \\S",
    ),
  },
  {
    kind: "feeling",
    factType: "fact",
    confidence: 0.55,
    pattern: of(`(?:i'm|i am|i was|i feel|i felt|i've been|we're|we are|we were) ${DEGREE}(?:${FEELING})\\b`),
    except: /^(?:(?:\S+ ){0,6}\S*|.{0,60}\b(?:you|your|you're|y'all|that you|to hear|to see|to know)\b.*)[.!…]*$/iu,
  },
  {
    kind: "favourite",
    factType: "preference",
    confidence: 0.9,
    pattern: of("(?:my|our) (?:[a-z-]{2,20} ){0,3}fav(?:e|ou?rites?)\\b.{0,80}?(?: (?:is|are|has to be|would be)|'s) "),
  },
  {
    kind: "wish",
    factType: "fact",
    confidence: 0.6,
    pattern: of(`(?:i'd|i would|we'd|we would) ${DEGREE}(?:love|like) to `),
    except:
      /^(?:\S+ ){1,5}to (?:hear|see (?:it|that|them|you)|know|chat|talk|say|join|come|check|help you|try (?:it|that))\b/iu,
  },
  {
    kind: "preference",
    factType: "preference",
    confidence: 0.85,
    pattern: of(
      `(?:i|we)(?:'m| am|'re| are|'d| would| do|'ve| have)? ${DEGREE}(?:like|love|loved|liked|prefer|preferred|enjoy|enjoyed|hate|hated|dislike|adore|detest|loathe|can't stand|cannot stand|can't bear|(?:don't|do not|didn't) (?:${DEGREE})(?:like|enjoy|eat|drink|want|care for|mind)|into|fond of|(?:not )?an? (?:big |huge |great |real )?fan of|keen on|obsessed with|passionate about|crazy about|addicted to|rather|interested in|not into) `,
    ),
    except:
      /^.{0,40}(?:like|love|loved|liked|enjoy|enjoyed|hate|into|mind|fan of) (?:it|that|this|you|your|you're|how you|them|those|these|the (?:idea|sound|way|look|photo|pic|picture)|seeing you|hearing|talking|chatting|to (?:hear|see|know|chat|talk|say|join|come|check|help you))\b/iu,
  },
  {
    kind: "habit",
    factType: "preference",
    confidence: 0.8,
    pattern: of(
      "(?:i|we) (?:always|never|usually|typically|normally|rarely|hardly ever|often|try to|tend to) [a-z]{2,20}",
    ),
    except: /^(?:i|we) (?:always|never|often) (?:knew|thought|heard|imagined|realised|realized|said|expected|wonder)/iu,
  },
  {
    kind: "decision",
    factType: "fact",
    confidence: 0.85,
    pattern: of(
      `(?:i|we)(?:'ve| have|'d| had)? ${DEGREE}(?:decided|agreed (?:that|to|on)|settled on|chose|chosen|picked|opted|concluded|made up (?:my|our) minds?|made the decision)\\b|(?:we're|we are|i'm|i am) going with |let's (?:go with|take|use|keep|stick (?:with|to)|do|make it|choose|pick) |decided[:,] |(?:then |ok |so )?going with |(?:i|we) (?:went|go) with |(?:scrap|ditch|drop|skip) (?:the|that|this|our|my) [\\p{L}\\d' -]{3,60}[.!]*$|[\\p{L}\\d' -]{3,40} wins[.!]*$|i'll (?:take|go with) the |[\\p{L}\\d' -]{3,40} it is(?: then)?[.!]*$|we (?:set|fixed) the date|(?:the|our|my)(?: final)? decision (?:is|was) |we (?:all )?agreed\\b`,
    ),
  },
  {
    kind: "goal",
    factType: "fact",
    confidence: 0.8,
    pattern: of(
      "(?:my|our)(?: [a-z-]{2,20}){0,2} (?:goals?|dreams?|plans?|aims?|hopes?|ambitions?|wish|priority)(?: (?:is|are|was|for)|'s) ",
    ),
  },
  {
    kind: "obligation",
    factType: "fact",
    confidence: 0.7,
    pattern: of(
      `(?:i|we)(?:'ve| have|'m| am|'re| are)? ?${DEGREE}(?:have to|has to|need to|must|should|got to|gotta|ought to|supposed to|required to|promised to|due to) `,
    ),
    except:
      /^(?:i|we)(?:'ve)? (?:must|have to|gotta|got to|should|need to|really should|really need to) (?:say|admit|go|run|head|get going|catch up|do this|do that|meet up|hang|chat|talk|try it|check|be kidding|know|have been)\b/iu,
  },
  {
    kind: "plan",
    factType: "fact",
    confidence: 0.7,
    pattern: of(
      `(?:i'm|i am|we're|we are|i've been|i have been|we've been|we have been|i was|we were) ${DEGREE}(?:going|gonna|planning|thinking (?:of|about)|looking (?:into|for|at)|hoping|working|considering|about to|starting|getting|moving|flying|travell?ing|visiting|meeting|taking|having|leaving|hosting|training|saving|learning|studying|researching|trying|preparing|writing|building|applying|reading|teaching|running|carving|doing|making|using|playing|practi[cs]ing|organi[sz]ing|volunteering|seeing|dating|living|staying|focus(?:s)?ing) `,
    ),
    except:
      /^.{0,30}(?:going (?:great|well|good)|getting (?:there|better)|doing (?:great|well|good|okay|ok|fine|my best)|looking at (?:it|that|you)|having (?:fun|a blast))\b[^,]{0,20}$/iu,
  },
  {
    kind: "intention",
    factType: "fact",
    confidence: 0.65,
    pattern: of(
      `(?:i'll|we'll|(?:i|we) ${DEGREE}(?:will|won't|plan|intend|hope|want|wanna|aim|wish|can't wait|cannot wait|would like|decide)|i'd like|we'd like|gonna|planning|hoping to|thinking of|researching|trying to) `,
    ),
    except:
      /^(?:i'll|we'll|(?:i|we) ?(?:\S+ )?(?:will|hope|want|wish|can't wait|would like)|i'd like|gonna) (?:always )?(?:you|your|let you|check|see|think about|try|be back|look|send|talk|keep (?:you|going|that|it|this|in mind)|do (?:that|it|this)|never forget|say|tell|it|this|everything|all|hear|know|be there|be here|make sure|definitely|for|to (?:hear|see|know|tell|say|thank|share|ask|check))\b/iu,
  },
  {
    kind: "identity",
    factType: "fact",
    confidence: 0.8,
    pattern: of(
      `(?:i'm|i am|we're|we are|i was|we were) ${DEGREE}(?:an? |the |from |in |at |on |not an? |one of |allergic|intolerant|vegan|vegetarian|married|single|divorced|engaged|pregnant|retired|diabetic|based|located|born|raised|trained|employed|self-employed|responsible|called|named|fluent|left-handed|right-handed|colou?r-?blind|deaf|dyslexic|autistic|epileptic|asthmatic|coeliac|celiac|gay|trans|bi|straight|\\d{1,3} )`,
    ),
    except:
      /^.{0,12}(?:a (?:bit|little|fan of (?:it|that|this))|in (?:love with (?:it|that|this)|awe)|at a loss|on (?:it|my way|board|cloud)|in\b[.!]?$|the same|an idiot|a mess)/iu,
  },
  {
    kind: "state",
    factType: "fact",
    confidence: 0.75,
    pattern: of(
      `(?:i|we) ${DEGREE}(?:live|work|study|teach|own|speak|volunteer|run|play|collect|have|grew up|come from|manage|lead|commute|drive|eat|drink|wear|keep|use|attend|belong|weigh|cook|bake|paint|draw|sing|dance|write|read|swim|hike|garden|practi[cs]e|train|meet|visit|spend|take|make|do|believe|owe|earn|pay|support|follow|miss|know|can't|cannot|used to|suffer|struggle|carry|go|get|see|sell|rent|share|travel|rely|smoke|freelance)[ .]|i've got |we've got |i can |i could `,
    ),
    except:
      /^(?:i|we|i've|we've) (?:\S+ )?(?:have (?:a lot going on|a lot of things|no idea|to say|a question|faith in you)|know(?: how you| what you| that feeling| right| exactly|,|[.!])|can (?:imagine|see|tell|relate|help|understand|totally|only|feel|hear|do (?:it|this|that))|can't (?:believe|imagine|wait|thank|agree|tell|even)|could (?:use|tell|see|not)|couldn't (?:agree|have)|get (?:it|that|you|what)|see (?:what|how|that|you|why|your)|do (?:too|appreciate|that)|miss (?:you|that)|believe in you|got (?:you|this|it)|take it|make it)\b/iu,
  },
  {
    kind: "event",
    factType: "fact",
    confidence: 0.7,
    pattern: of(
      `(?:i|we|me and [a-z]{2,20}|[a-z]{2,20} and i)(?:'ve| have|'d| had)? (?:not |never |ever )?${DEGREE}(?:${IRREGULAR_PASTS}|[a-z]{2,20}ed)\\b`,
    ),
    except:
      /^(?:i|we)(?:'ve| have|'d| had)? (?:\S+ )?(?:felt|thought|agreed|appreciated|understood|guessed|supposed|(?:wanted|needed) to (?:say|tell|ask|see|share|thank|check|let|hear)|noticed you|heard you|missed you|told you|knew (?:it|you)|hoped you|had (?:a (?:good|great|nice) (?:time|day|one)|fun|no idea)|(?:never|'ve never|have never) (?:heard|thought|knew)|seen (?:it|that)|got (?:it|you|this|that)|did (?:it|that)|loved it|been (?:good|great|well|okay|busy|there|better))\b/iu,
  },
  {
    kind: "belonging",
    factType: "fact",
    confidence: 0.7,
    pattern: of("(?:my|our) [\\p{L}\\d'&-]{2,30}(?: [\\p{L}\\d'&,-]{1,30}){2,}"),
    except: /^(?:my|our) (?:pleasure|bad|god|goodness|thoughts|apologies|condolences|dear|man|friend,)\b/iu,
  },
  {
    kind: "deadline",
    factType: "fact",
    confidence: 0.75,
    pattern: of(
      "(?:the|this|our|[\\p{L}'-]{2,30})(?: [\\p{L}\\d'-]{1,30}){0,8} (?:is|are|was) (?:now )?(?:due|scheduled|planned|set|booked|postponed|cancell?ed|moved) (?:on|by|for|in|at|to|until|next|this|tomorrow|today|monday|tuesday|wednesday|thursday|friday)|(?:the )?(?:[\\p{L}'-]{2,30} ){0,4}deadline (?:is|was|for) ",
    ),
    except: /^(?:you|your|what|who|how|why|it|that|this|there) /iu,
  },
  {
    kind: "arrangement",
    factType: "fact",
    confidence: 0.7,
    pattern: of(
      "(?:[\\p{L}\\d'-]{1,30} ){1,6}(?:is|are) (?:now |always |only |currently |still |never |not |no longer )?(?:kept|stored|hosted|deployed|owned|managed|maintained|handled|retained|deleted|archived|backed up|encrypted|replicated|monitored|billed|limited|restricted|required|forbidden|configured|installed|paid|sent) (?:for|on|in|at|by|with|to|every|each|from|after|before|until|under|through|daily|weekly|monthly)\\b",
    ),
    except:
      /^(?:(?:and|but|so) )?(?:it|that|this|there|he|she|they|you|your|who|what|which|those|these|everything|nothing|something|one|some|i|we) /iu,
  },
];

/** A third person's statement is kept as an observation when it has a name or a date (case matters for names). */
export const THIRD_PERSON =
  /^(?!(?:That|This|It|There|Here|What|Who|How|Why|Where|When|Which|You|Your|Such|These|Those|Good|Great|Nice|Glad|Love|Life|Everyone|Everything|Nothing|Something|Sounds|Looks|Hope|Let|And|But|So|If|They|He|She|Thanks|Congrats|Time|Sometimes|Things|Taking|Having|Being|Getting|Self)\b)(?:The )?\p{Lu}[\p{L}'-]{1,30}(?: (?:(?:of|and|the|in|from) )?\p{Lu}[\p{L}'-]{1,30}){0,3}(?:'s [\p{L}-]{2,30}(?: [\p{L}-]{2,30})?)? (?:is|was|has|had|works|lives|likes|loves|hates|prefers|said|told|will|went|got|moved|started|wants|needs|owns|joined|left|bought|met|studies|plays|speaks|married|died|decided|runs|leads|gave|came|became|coaches|manages|writes|edits|draws|paints|answers|drinks|eats|cooks|bakes|sings|dances|drives|rides|cycles|commutes|swims|sleeps|wears|smokes|rents|earns|weighs|volunteers|freelances|attends|visits|listens|votes|dates|uses|goes (?:to|by)) /u;

export const NEUTRAL_STATEMENT =
  /^(?!(?:he|she|they|one|those|some|that|this|it|it's|there|here|what|who|how|why|where|when|which|you|your|if|let|hope|have|good|great|see|talk|thanks|i|we|maybe)\b)(?:[\p{L}\d'&,:-]{1,30} ){1,12}(?:is|are|was|were|will|has|have|had|starts|started|ends|ended|takes|took|opens|opened|costs|launches|happened|arrives|begins|closes) /iu;

/** The speaker is part of what happened, though not its subject. */
export const TOUCHES_SPEAKER = /\b(?:me|my|mine|our|us)\b/iu;

/** Beginnings of sentences that point to the conversation itself. */
export const POINTING =
  /^(?:he|she|they|one|those|some|that|it|it's|there|there's|here|here's|what|who|how|why|where|when|which|let|let's|have|good|great|see|talk|thanks|thank|look|looks|sounds|glad|hope|check|take|tell|come|wish|love|guess|maybe|not|nothing|everything|anything|can|happy|congrats|excited|proud)\b/iu;

/** A date, a time of day or a span of time. */
export const TIME_EXPRESSION =
  /\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this) (?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:january|february|march|april|june|july|august|september|october|november|december)\b|(?:in|since|until|by|of|\d) may\b|may \d|(?:1[89]|20)\d\d|\d{1,2}(?::\d\d)? ?(?:am|pm)|\d{1,2}:\d\d|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|(?:\d{1,3}|a|an|two|three|four|five|six|seven|eight|nine|ten|few) (?:days?|weeks?|months?|years?|decades?)(?: ago| old)?|birthday|anniversary)\b/iu;

export const HEDGE =
  /\b(?:maybe|perhaps|might|probably|possibly|i think|i guess|i suppose|not sure|sort of|apparently|i believe|i heard|rumou?r)\b/iu;

/** Words that make a statement unreal: hypotheses, wishes, conditions. */
export const UNREAL =
  /^(?:if|unless|suppose|imagine|what if|i wish|wish)\b|\bwould(?:'ve| have) |\bif i were\b|\bif only\b/iu;

/** Matches sentences about the listener. */
export const ABOUT_LISTENER = /\b(?:you|your|yours|you're|you've|you'll|y'all|u|ur)\b/iu;

export const QUESTION_START =
  /^(?:what|what's|who|who's|whom|whose|where|where's|when|when's|why|how|how's|which|do|does|did|are|is|am|was|were|can|could|would|will|should|have|has|had|may|shall|isn't|aren't|don't|doesn't|didn't|won't|wouldn't|couldn't|can't|any) (?:i|you|we|they|he|she|it|the|your|that|this|there|do|does|did|is|are|was|were|can|could|would|will|should|have|has|about|come|many|much|long|often|plans|tips|ideas|advice|chance|[\p{L}']{1,20} (?:you|do|did|does|is|are))\b/iu;

/** Matches a question that is appended to a statement. */
export const QUESTION_TAIL =
  /[,;.\u2013\u2014-]? (?:(?:and |but )?(?:what|how) about (?:you|u|yours(?:elf)?)|and (?:you|yours)|(?:are )?(?:you|u|ya) (?:in|up for it|coming|free|down)|right|you know|isn't it|don't you think|ok|okay|yeah|eh|huh)(?:, [\p{L}]{1,30})?\s*\?+$/iu;

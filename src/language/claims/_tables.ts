/** What the functions before the rows say of texts, function by function. */
import { isFramed, takesBack } from "./framing.ts";
import { rephrase, tellWho } from "./rephrase.ts";
import { readTelling } from "./reality.ts";
import { asSpeaker } from "./speaker.ts";

/** A table of what a function says of texts; `read` tells it in words. */
export interface Table {
  readonly name: string;
  readonly read: (text: string) => string;
  readonly says: readonly string[];
}

const yesOrNo = (is: (text: string) => boolean) => (text: string) => is(text) ? "yes" : "no";

/** What stands before the rows, function by function. */
export const TABLES: readonly Table[] = [
  {
    name: "whether a sentence may be a quotation, a draft or a joke",
    read: yesOrNo(isFramed),
    says: [
      "It {says|said|was saying|tell|tells|told|telling|writes|wrote|claims|claimed|claiming|assume|assumes|assumed|assuming|an assumption|believe|believes|believed|believing|suppose|supposes|supposing|expects|expected|insist|insists|insisted|insisting|imply|implies|implied|implying|pretend|pretends|pretended|pretending|suspect|suspects|suspected|suspecting|deny|denies|denied|denying|joke|jokes|joked|joking|kidding|lie|lies|lied|lying|admit|admits|admitted|reply|replies|replied|a script|an excuse|a caption|a slogan|a sentence|a speech|a character sheet|a headline|a motto|lyrics|a monologue|a tweet|a bio|a quote|quoted|false|falsely|a falsehood|untrue|not true|a scammer} here. → yes",
      "They {offer|offers|offered|were offering} {me|us|him|her|them} it. → yes",
      "They offered an {excuse|script|line|story|reason}. → yes",
      "They {want|wants} {me|us|him|her|them} to go. → yes",
      "The {story|rumour|rumor|joke|claim|plot} {is|was|goes|went} so. → yes",
      "A {story|poem|novel|letter|dialogue|song|play|scene|sketch} {about|of|where|in which|for|from} Ana. → yes",
      "It was in {the|a|my|this} {novel|book|story|film|movie|game|dream|play|series|sketch}. → yes",
      "{They|People|Some|Others|You|Parents|Friends|Experts} {|often }{say|think|write} so. → yes",
      "It rains; say hello. → yes",
      "{Write|Rewrite|Act|Translate|Imagine|Draft|Say|Compose|Respond|Make up|Make believe|Invent|Roleplay|Role-play|Assume|Suppose|Proofread|Paraphrase|Rephrase|Summarise|Summarize|Text|Email|E-mail|Type|Repeat|Complete|Continue|Correct|Fix|Polish|Answer|Finish|Read|Play|Message|Post|Improve|Check|Review|Edit|Shorten|Format|Rehearse} it. → yes",
      "{Please|Just|Now|Then|Ok|Okay|So|Can you|Could you|Would you|Will you|You should|You could|You can|You must|You may|You might|Let's|Let us|I'd like you to|I want you to|I need you to|I'd love you to|Help me|Help me to} draft it. → yes",
      "{I live in Oslo|My writing desk is oak|Write-ups are short}. → no",
    ],
  },
  {
    name: "whether an afterthought takes back what was said",
    read: yesOrNo(takesBack),
    says: [
      ", {and|but} which {would|could|should|might|may|is likely to} be so → yes",
      ", which {hopes|hoped|is the plan|has plans|was planned|is a phase|is expected|is supposed|isn't so|wasn't so|was|were|is not true|is not so|is not yet|is not real|is not really|is not certain|is not sure|is not final|is not decided|is not official|is not serious|is not what|is not the case} → yes",
      ", {and|but|so|or|although|though|as|because|since|yet} that might change → yes",
      ", but {that|this|it|you|they|there|these|those} {would|wouldn't|would not} go → yes",
      ", {I'm|I am|we're|the user is|the user was} told → yes",
      ", but I {should check|should know|should verify|should confirm|should ask|wish|hope|think|guess|believe|suppose|doubt|may|might} → yes",
      ", but the user {should check|should know|should verify|should confirm|should ask|wishes|hopes|thinks|guesses|believes|supposes|doubts|may|might} → yes",
      ", {only on Mondays|not for long|in the plan|in a dream|in my head|just for fun} → yes",
      ", so my doctor {hopes|hope|wish|wishes|think|thinks|believe|believes|say|says|claim|claims|doubt|doubts|wants to hear|would like to hear|would love to hear|wants to believe|wants to think} → yes",
      ", and I was {kidding|a joke|fond of jokes|joked|joking|a lie|lying|false|falsely there|untrue|not true|wished well|here maybe|here perhaps|here probably|here possibly|here presumably|here supposedly|here allegedly|here apparently|pretend|pretended|pretending|in a dream world|dreamt of|dreamed of|here hypothetically} → yes",
      ", and I {wish|wishes|wished} → yes",
      ", and I was in {the|a|my|this} {novel|book|story|film|movie|game|play|series|sketch|perfect world} → yes",
      ", so I'm looking for a gym → no",
    ],
  },
  {
    name: "the sentence as its speaker said it",
    read: asSpeaker,
    says: [
      "The user {accounts|acceptance|agent|base|behaviour|behavior|community|conference|count|data|database|directory|directories|documentation|experience|feedback|flow|forum|friendly|friendliness|group|guide|handbook|id|ids|input|inputs|interface|interview|journey|list|management|manual|manuals|meeting|meetup|mode|model|name|needs|number|onboarding|page|panel|permission|portal|preferences|profile|record|registration|research|role|schema|service|session|settings|side|space|statistics|stats|stories|story|studies|study|support|survey|table|testing|test|token|traffic|training|type|union|agent's|group's} is here. → The user $1 is here.",
      "The user {needs|records|tests|pages|names|lists|counts|flows|studies|types|surveys|guides|interviews|tables|profiles} {to|the|an|my|our|his|her|their|it|for|Vim|12} go. → I $1 $2 go.",
      "The user {also|always|usually|only|just|still|now|never|finally|really|often|mostly|normally|currently|recently|already|both|all|hardly|actually|rarely} uses Vim. → I $1 uses Vim.",
      "And then the user {am|is|are|was|were|has|have|had|does|do|did|will|won't|can|can't|may|must|shall|should|would|could|might} go. → And then I $1 go.",
      "Tea {of|for|with|to|from|by|at|about|on|in|like|than|between|without|after|before} the user is here. → Tea $1 me is here.",
      "It {cost|costs|give|gives|gave|tell|tells|told|let|lets|make|makes|made} the user is here. → It $1 me is here.",
      "Ana {said|thought|knew|found|saw|read|heard|felt|meant|hoped|believed|decided|agreed|confirmed|answered|showed|proved|reported|mentioned|noticed|learned|learnt|forgot|wrote|assumed|replied|insisted|swore|wished} the user moved. → Ana $1 I moved.",
      "It was late{, |; |: |, and |, but |, so |; and }the user slept. → It was late$1I slept.",
      "Ana left {so|and|but|because|since|that|where|as|while} the user waters it. → Ana left $1 I waters it.",
      "{The user's|The user and others'} dog is here. → {My|Our} dog is here.",
      "Ana saw the user's dog. → Ana saw my dog.",
      "The user and others {live here|have left}. → We $1.",
      "Ana saw the user and others. → Ana saw us.",
    ],
  },
  {
    name: "a record in other words",
    read: rephrase,
    says: [
      "I pulled 135 {kilos|kg|pounds|lbs|reps|points|push-ups|pull-ups|sit-ups|laps|lengths|km|miles|metres|meters|minutes|seconds|hours|kilometres|kilometers} {in|at|on|for|over} the {deadlift|bench press|high jump|long throw}, a new record. → My record in the $3 is 135 $1 now",
      "I pulled 2 {minutes 10|minutes and 10|minutes 10 seconds|hours 5 minutes} in the plank, a record. → My record in the plank is 2 $1 now",
      "I ran {the|my|a|an} 10K in 49 minutes, a record. → My record for the 10K is 49 minutes now",
      "I held my breath for 2 {minutes|seconds|hours}, a record. → My record at holding my breath is 2 $1 now",
      "I {did|managed} 40 {push-ups|pull-ups|sit-ups|laps|lengths|reps|points|kilos|kg|pounds|lbs|km|miles|metres|hours}, a record. → I can do 40 $2 now",
      "I {have|just|finally|actually|managed to} pulled 9 kilos in the deadlift, a record. → My record in the deadlift is 9 kilos now",
      "I pulled 9 kilos in the deadlift, {which is|which was|that is|and that is|now} {a|my} {new|all-time|new all-time} {personal best|personal record|record|PB|PR} {for me|now|so far}. → My $4 in the deadlift is 9 kilos now",
      "I {have|just|finally} ran 18 kilometres on Sunday, {which is |which was |}my {longest|best} run {ever|so far|yet|to date}. → My $3 run is 18 kilometres now",
      "The {longest|best|most scenic} ride I {have|has} {ever |}done {so far|by now|yet} is 9 km. → My $1 ride is 9 km.",
      "I love Opus, which {is|has become|is now} my café. → My café is Opus",
      "My my dog barks. → My dog barks.",
      "The best friend I have made so far is Bo. → The best friend I have made so far is Bo.",
    ],
  },
  {
    name: "a clause with 'who' as a sentence",
    read: (text) => tellWho(text) ?? "nothing",
    says: [
      "I saw Ruth, who {is|has|had|lives|works|moved|now|just|recently|got|started|left|studies|quit} there. → Ruth $1 there",
      "I saw {my friend|our friend|the user's friend} Ruth, who moved there. → {My friend|Our friend|The user's friend} Ruth moved there",
      "I saw {my|our|the user's} dentist, who moved there. → {My|Our|The user's} dentist moved there",
      "I saw Ruth, who moved there{,|;} and Bo. → Ruth moved there",
      "I saw Omar, {my|the user's} best friend, who moved there. → {My best friend Omar|My best friend Omar} moved there",
      "I saw a {novel|film|movie|story|series|book|dream|character|game|hero|heroine|play|poem|song|joke} with Ruth, who moved there. → nothing",
      "I was {reading of|imagining|pretending with|supposing|told if} Ruth, who moved there. → nothing",
      "She {said|says|is another|is a different|is not my|is not|was not|are not|were not|isn't|wasn't} Ruth, who moved there. → nothing",
      "I {don't|do not|didn't} know {Ruth|my aunt}, who moved there. → nothing",
      "I saw my {friend|colleague|coworker|co-worker|cousin|neighbour|client|customer|student|classmate|acquaintance|patient|uncle|aunt|nephew|niece|teammate|ex}, who moved there. → nothing",
      "I saw Ruth, who moved there {this week|next weekend|this month|next summer|this winter|today|tonight|in the week of May|until May|till May|for the week|for an hour|for two days|for three days|for a few days|for some days}. → nothing",
      "I came {of|from} Ruth, who moved there. → nothing",
      "I saw Bo's Ruth, who moved there. → nothing",
    ],
  },
  {
    name: "what a sentence says is true",
    read: (text) => readTelling(text)?.text ?? "nothing",
    says: [
      "I can swim, so I could {|not }{have|be|say|believe|think|add|note|mention|admit|like to think|like to believe|like to hear|like to say|love to think|love to believe|love to hear|love to say|hope|guess|doubt|never|check|verify|confirm|know} it. → nothing",
      "I can swim, so I could {also|really|probably|rather} say it. → nothing",
      "I can swim, so my dog is planning to {hear|believe|think|say|tell|claim|know|see|make|check|verify|confirm} it. → nothing",
      "I can swim, so {I'm|I've been|we're|we've been|the user is|the user's} planning to write it. → I can swim",
      "Vi, {a character|an avatar|the protagonist|a hero|the heroine} {in|of} Dune, can swim. → nothing",
      "I can swim, {so he believes|so he claims|so I'm told|so we're told|and nobody believes it}. → nothing",
      "I'm planning to go, {whether|if|what|who|that} we like, because we live in Oslo. → nothing",
      "I can swim, so he is planning to go in the {movie|template|novel|book|story|film|game|play|series|example}. → nothing",
      "I can swim, so he {supposedly|reportedly|presumably|seemingly|falsely|mistakenly} planned to go. → nothing",
      "I have {seen|read|watched|played|finished|completed} it in the {film|book|game}. → I have $1 it in the $2.",
      "Could {anyone|somebody|there} swim. → nothing",
      '"The user can swim" {is|was|were|says|say|said|read|reads} here. → nothing',
      "I can swim, {so|but|and|because|since|although|though} {I|we} would like to go. → I can swim",
      "I can swim, so {please ask|would like to go|would love to go|wants to go|the user would like to go}. → I can swim",
      "He can swim, so {he|she|my dog|our dog|his dog|her dog|their dog} is planning to go. → He can swim",
      "Ana swims 40 laps, which is {more|less|better|worse|higher|lower} than planned to date. → Ana swims 40 laps",
      "I'm {looking for a flat|looking into it|looking at it|asking|wondering|considering it|contemplating it|evaluating it|debating it|trying to sleep|tempted|intending to go|planning to go|thinking of it|thinking about it|applying for it|applying to it|discussing it|suggesting it|recommending it|about to go|meaning to go|supposed to go} because we live in Oslo. → we live in Oslo.",
      "{I ask|I asked|We ask|The user asked|I wondered|I considered it|I debated it|I try to sleep|I tried to sleep|I intended to go|I aim to go|I planned to go|I applied for it|I discussed it|I suggested it|I recommended it|I want to go|I wanted to go|I interviewed}{, so|, because| because|, since|; since|, but now|, and now|, and so|, so now} we live in Oslo. → we live in Oslo.",
      "Ana, {who is here|if|whether|what} I'm asking because we live in Oslo. → nothing",
    ],
  },
];

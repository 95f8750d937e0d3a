/**
 * Word lists for finding names in texts. Most list words that are no names, although they are capitalised or quoted.
 */
import { wordSet } from "./word_set.ts";

/** Function words of English and of other frequent languages, folded: no name begins or ends with one. */
export const FUNCTION_WORDS = wordSet(`
  a an the and or but nor so yet if then else than as at by for from in into of off on onto out over to up with within
  without about above across after against along among around before behind below beneath beside between beyond despite
  down during except near since through throughout till toward towards under until upon via
  i i'm i've i'll i'd me my mine myself we we're we've we'll we'd us our ours ourselves you you're you've you'll you'd
  your yours yourself yourselves he he's he'd he'll him his himself she she's she'd she'll her hers herself it it's
  it'll its itself they they're they've they'll they'd them their theirs themselves this that that's these those there
  there's here here's who who's whom whose which what what's when where why how
  am is are was were be been being do does did doing done have has had having can could may might must shall should
  will would won't can't don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't couldn't shouldn't
  wouldn't let let's not no yes all any both each every either neither few many more most much other another some such
  one two three four five six seven eight nine ten only own same too very just also even still again ever never always
  often sometimes usually maybe perhaps
  der die das den dem des ein eine einen einem einer und oder aber ist sind war waren nicht ich du er sie es wir ihr
  mit von zu zum zur im am auf für bei nach aus
  le la les un une des et ou mais est sont était je tu il elle nous vous ils elles de du au aux dans sur pour avec ne
  el los las una unos unas y o pero es son era yo él ella nosotros ellos del al en con por para que se su
  il lo gli uno e ma è sono io lui lei noi voi loro di da nel per
  o os as um uma não eu ele ela nós eles em no na`);

/** Days, months and their short forms. */
export const CALENDAR = wordSet(`
  monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
  sundays mon tue tues wed thu thur thurs fri sat sun january february march april may june july august september
  october november december jan feb mar apr jun jul aug sep sept oct nov dec today tomorrow yesterday tonight
  christmas easter halloween thanksgiving montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes
  miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche`);

/**
 * Words that often open a sentence and have a capital for that alone: greetings, interjections, adverbs, forms of address.
 */
export const OPENERS = wordSet(`
  hi hello hey dear thanks thank thx please sorry welcome congrats congratulations cheers bye goodbye good great nice
  cool awesome amazing wow oh ah aw aww ooh ugh hmm hm um uh yeah yep yup nope nah ok okay sure right true exactly
  definitely absolutely totally really actually basically honestly frankly well anyway btw fyi lol haha hehe omg
  morning evening afternoon night now later soon recently lately currently once meanwhile finally eventually suddenly
  first second third next last then however therefore thus hence moreover furthermore besides instead otherwise
  although though because while whereas whenever wherever whatever whoever unless whether
  bet hang count fingers yikes yay phew whoa kudos woo woohoo hooray yum cheers gotta gonna wanna dunno lemme guess
  wishing sounds looks seems feels glad happy excited proud impressed impressive incredible fantastic wonderful
  brilliant perfect exciting interesting crazy typical deal agreed
  hopefully luckily unfortunately fortunately apparently obviously clearly generally typically
  mom mum mommy dad daddy mama papa grandma grandpa granny sir madam guys folks everyone everybody someone somebody
  anyone anybody nobody nothing something anything everything people user assistant system tool customer client bot
  note warning todo fixme error info debug update summary question answer example step section chapter table figure
  yes no true false none null`);

/** Stems of verbs that open notes and requests: "Prefers Python", "Visited Paris", "Tell Maria". Porter stems. */
export const OPENING_VERBS = wordSet(`
  accept add adopt agre allow announc appli approv arriv ask assign attend avoid becam becom began begin believ book
  bought bring brought build built buy call came cancel celebr chang check choos chose close come complet confirm
  connect consid contact contain cook creat cut decid deliv deploi describ design develop did disabl discov discuss
  dislik do download drink drive drop drove eat email enabl enjoi ensur excit expect explain explor fail feel felt
  find finish fix fli follow forget found gave get give glad go goe gone got graduat grew had happen hate have hear
  heard help hire hold host imagin implement import includ increas inform inspir instal integr interest introduc
  invit is join keep kept know lead leav led learn left let like listen live look lost love made mainten maintain make
  manag mean meant meet mention merg met met miss mov move need open order organ own paid paint pass pay perform pick
  plai plan post practic prefer prepar present publish put read reali receiv recommend record reduc refer regist reli
  releas remain rememb remind remov rent replac report requir research respond return review run said save saw sai
  schedul see seem select sell send sent serv set share show sign sing sold speak spent spoke start stai stop store
  struggl studi suffer suggest support switch take talk taught teach tell test think thought told took train transfer
  travel tri trust try turn understand updat upgrad us use visit volunt wait walk want wa watch went wish won work
  worri write wrote`);

/** Written in capitals by habit, although they name nothing. */
export const SHOUTED = wordSet(`
  ok lol omg wtf btw fyi asap am pm tv diy faq imo imho tbh idk brb ttyl rofl lmao aka eta tba tbd rip bff diy rsvp ps
  pps etc vs ie eg id url http https www com re fw fwd cc bcc no yes not and or all any the todo fixme note nb ceo cto
  cfo coo hr pr qa ui ux vp phd md mr mrs ms dr jr sr st ii iii iv vi vii viii ix usd eur gbp gmt utc est pst kg km cm
  mm mg ml gb mb kb tb hz am pm bc ad`);

/** Ordinary words that are also names of people or products: in small letters they are words. */
export const ORDINARY_NAMES = wordSet(`
  will may mark rose grace hope joy faith bill jack frank art dawn june april august summer autumn amber ruby pearl iris
  ivy lily daisy violet chase chance grant drew pat rich rob nick sue gene dean dale glen cliff heath brook brooks lane
  miles wade bob don jay ray robin penny sandy misty sunny star angel bishop king prince duke earl baron page parker
  cook baker carter mason hunter archer taylor tanner porter fisher miller potter gardener young strong long short small
  brown green white black gray grey gold silver wood woods stone rivers lake hill hills field fields banks bush reed
  case cash ford bell love apple square stripe slack zoom notion linear target shell gap visa meta word excel access
  teams outlook edge chrome windows window go rust swift dart scheme basic spark storm beam express react next flask
  bottle rails spring ant make git helm vault terraform puppet chef salt docs drive maps music photos signal box
  discord steam epic origin oracle alexa echo fire kindle prime sky orange sprint discover chase fidelity progress
  apollo mercury saturn mars venus earth sun moon phoenix atlas titan nova genesis alpha beta delta gamma omega turkey
  china polish nice reading bath sandwich hamburger cologne java jersey panama mobile buffalo charity mercy patience
  prudence christian guy bud buddy sonny junior max major curt ernest jean jeans denim rock cliff sage basil olive
  ginger rosemary hazel holly heather jasmine cherry peach plum berry candy honey sugar cookie pepper rusty dusty
  happy lucky merry bliss destiny harmony melody aria carol lyric viola piper trinity eve noel winter storm rain sky
  the now today people home work school team project group family company office city state country world time day`);

/** Short words inside a name: "Bank of America", "Ludwig van Beethoven", "Lord of the Rings". */
export const CONNECTORS = wordSet(
  "of the de del della di da do dos du des la le van von der den ten ter y e für bin ibn al",
);

/** Titles, which go with the name that follows. */
export const TITLES = wordSet(
  "mr mrs ms mx dr prof st sir dame lord lady sen rep gov pres capt lt col gen sgt rev hon herr frau",
);

/** Frequent German words. German writes nouns with a capital, so capitals mean little in a text with two of these. */
export const GERMAN_CUES = wordSet(
  "der die das und ist nicht ich ein eine mit auf für wir sind haben habe auch sich wird",
);

/**
 * Verbs for what only people and named groups do: a capitalised word that opens a sentence before one of these verbs is
 * a name.
 */
export const PEOPLE_DO = wordSet(`
  likes liked loves loved hates hated dislikes disliked prefers preferred wants wanted enjoys enjoyed says said tells told
  asks asked thinks thought believes believed knows knew hopes hoped wishes wished married divorced studies studied speaks
  spoke mentioned agreed decided promised suggested complained apologised apologized graduated volunteered adopted`);

/** The same, if one of `PEOPLE_DO_WHERE` follows: code works too, but it does not "work at" or "work as". */
export const PEOPLE_DO_SOMEWHERE = wordSet(`lives lived works worked moved went travels travelled traveled`);
export const PEOPLE_DO_WHERE = wordSet(`in at as to for with near from`);

/** Words for what only people are, after "is" or "was". */
export const PEOPLE_ARE = wordSet(`
  allergic born married engaged divorced pregnant vegetarian vegan fluent retired left-handed`);

/** Things that take such verbs as well ("Traffic moved to …") and are no names. */
export const NO_PEOPLE = wordSet(`
  access authority billing branch build cache code config content data email feature file history infrastructure login
  logic mail music office power production release schema search server software source staging state storage support
  team text traffic work`);

/** Verbs before which capitalised words are one name: "Acme Corp signed", but not "Restart Jenkins after". */
export const NAMES_DO = wordSet(`
  is isn't was wasn't has hasn't had will won't can can't could would does doesn't did didn't should may might must
  announced bought builds built closed expires hired hosts launched leads led leaves left makes manages managed offers
  opened owns owned pays paid provides released runs ran sells ships signed sold starts started uses used won wrote`);

/**
 * Words by which a text shows its language, and which say little of what it is about. Pure data.
 *
 * Of stored data, only the stems that a text has besides its words depend on the lists of scripts
 * (`SCRIPT_FUNCTION_WORDS`); see `STEM_RULE` in `foreign_stems.ts`.
 */
import { wordSet } from "./word_set.ts";

/** Languages in Latin letters that are distinguished. English is recognised by its own stop words. */
export const LATIN_LANGUAGES = ["german", "spanish", "french", "italian", "portuguese", "vietnamese"] as const;

export type LatinLanguage = (typeof LATIN_LANGUAGES)[number];

/** The function words of a language, folded as the search form of words folds them. */
export const FUNCTION_WORDS_BY_LANGUAGE: Readonly<Record<LatinLanguage, ReadonlySet<string>>> = {
  german: wordSet(`
    der die das dem den des ein eine einen einem einer eines und oder aber nicht ist sind wird werden wurde wurden hat haben
    hatte hatten für von vom zum zur bei beim mit nach aus auf im am in an um zu ich du er sie es wir ihr ihm ihn ihnen mein
    meine meinen meiner meinem dein deine sein seine seinen seiner ihre ihren ihrer unser unsere unseren unserer uns euch
    sich auch noch nur schon sehr wie wo wer wen wem wessen wann warum welche welcher welches welchem welchen woher wohin
    wieviel über unter durch gegen ohne zwischen seit bis dass weil wenn kann können muss müssen soll sollen will wollen
    gibt jeden jede jeder jedes kein keine keinen war waren was so man als dieser diese dieses diesen hier dort jetzt bin
  `),
  spanish: wordSet(`
    el la los las un una unos unas y o pero no es son está están fue ser era del al de en con por para sin sobre entre desde
    hasta que qué quién quien quiénes cómo dónde donde cuándo cuando cuál cuáles cuánto cuántos cuántas mi mis tu tus su sus
    nuestro nuestra nuestros nuestras se me te le les lo nos muy más ya hay ha han tiene tienen este esta estos estas ese esa
    como a también
  `),
  french: wordSet(`
    le la les un une des du de au aux et ou mais ne pas est sont était être avoir a ont avec pour par dans sur sous entre
    depuis chez que qui quoi quel quelle quels quelles où quand comment combien pourquoi je tu il elle nous vous ils elles
    mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces se en été cest quest estce
  `),
  italian: wordSet(`
    il lo la i gli le un uno una del dello della dei degli delle al allo alla ai agli alle dal dalla dai dalle nel nella nei
    nelle sul sulla sui sulle e ed o ma non è sono era essere ha hanno ho con per tra fra di da in su che chi cosa quale
    quali quanto quanti quando come dove perché mio mia miei mie tuo tua suo sua suoi sue nostro nostra nostri nostre si mi
    ti ci vi se più già questo questa questi queste quello quella stato stata stati state dovè cè viene vengono
  `),
  portuguese: wordSet(`
    o os a as um uma uns umas e ou mas não é são foi foram ser está estão do da dos das no na nos nas ao aos à às de em com
    por para sem sobre entre desde até que quem qual quais quando como onde quanto quantos meu minha meus minhas teu tua seu
    sua seus suas nosso nossa nossos nossas se me lhe muito mais já há tem têm este esta isso pelo pela pelos pelas num numa
  `),
  vietnamese: wordSet(`
    là của và có ở được cho với những các một này khi nào gì đâu ai bao nhiêu thì mà không tôi bạn chúng đã đang sẽ bị trong
    ngoài trên dưới từ đến lúc mấy để rất cũng như vì nhưng hay hoặc rồi
  `),
};

/**
 * Function words that also occur in English texts, as words, names or parts of names: each counts for half of one.
 */
export const HALF_WORDS = wordSet(`
  die war hat man bin den des mit was so in an am um will bis als
  el la los las un del de son sin me no a es mi tu su se te le lo o y e ha al con han era este
  les des du pour par sur ma mes ton ta sa ses ce en a est ne au est
  il i gli uno per tra come dove state si ti ci vi sue ai da di fra non
  os as um do dos das no na nos com mas tem qual em ya
  cho ai khi bao hay trong
`);

/** Scripts whose words are stemmed by the rules of one language, because the script itself shows the language. */
export type ScriptLanguage = "russian" | "arabic" | "korean";

/** Words of a query that say nothing about what it searches for, in languages that the script shows. */
export const SCRIPT_FUNCTION_WORDS: Readonly<Record<ScriptLanguage, ReadonlySet<string>>> = {
  russian: wordSet(`
    и в во не что он она оно они на я мы вы ты с со как а то все так его её ее их но да к ко у же за бы по от до из о об ли
    для при это этот эта эти тот та те где когда кто кого кому чем чего какой какая какое какие каких каким каком какую
    почему зачем сколько чей чья чьё чьи мой моя моё мои моей моего наш наша наше наши нашем нашей был была было были есть
    нет под над через перед после без или если
  `),
  arabic: wordSet(`
    في من على إلى الى عن مع هل ما ماذا متى أين اين كيف كم لماذا لمن أي اي أية هو هي هم هن أنا انا نحن أنت انت هذا هذه ذلك
    تلك التي الذي الذين أن ان إن لا لم لن قد كان كانت يكون و أو او ثم بين عند عنده عندها كل لكن
  `),
  korean: wordSet(`
    은 는 이 가 을 를 의 에 와 과 도 그 저 나 너 내 제 저는 나는 제가 내가 우리 저희 것 수 등 및 또는 그리고 하지만 누가 누구
    누구의 무엇 무엇을 무엇이 무엇인가요 뭐 뭐야 뭐예요 뭘 언제 언제로 어디 어디에 어디서 어디에서 어디예요 어느 어떤 왜 어떻게
    얼마나 몇 있어요 있습니다 있나요 있다 있는 하는 해요 합니다 이다 입니다 인가요
  `),
};

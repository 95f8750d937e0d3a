/**
 * What is worth keeping of a sentence in another language than English: the rules do not read such sentences, they only
 * see who speaks of himself, or names a day, a number or a name. Pure.
 */
import { detectLanguages, scriptOf } from "./detect_language.ts";
import { hasUnspaced } from "./unspaced.ts";
import { isStopWord, normaliseText, splitWords } from "./tokenise.ts";

const words = (list: string) => new RegExp(`(?<![\\p{L}\\p{M}])(?:${list})(?![\\p{L}\\p{M}])`, "iu");
/** Words by which people speak of themselves and theirs. */
const FIRST = words(
  "ich|mein\\p{L}{0,2}|wir|unser\\p{L}{0,2}|mich|mir|uns|yo|mi|mis|me|tengo|soy|estoy|vivo|trabajo|tenemos|somos|vivimos|voy|fui|quiero|necesito|puedo|nuestr[oa]s?|je|j['’]\\p{L}+|mon|ma|mes|nous|notre|nos|io|mio|mia|miei|mie|sono|ho|abbiamo|siamo|lavoro|abito|nostr[oaie]|eu|meu|minha|meus|minhas|tenho|sou|estou|moro|preciso|a gente|noss[oa]s?|tôi|mình|chúng tôi|nhà em|я|мне|меня|мной|мо[йяёеи]|моей|моего|моему|мою|мы|нам|нас|наш\\p{L}{0,2}|أنا|انا|نحن|لدي|عندي|معي|أعمل|أعيش",
);
const FIRST_UNSPACED = /[我咱私僕俺]|わたし|うち[はのに]|저는|제가|제 |나는|내가|내 |우리/u;
const ASKS = /[?？؟]|(?:ですか|ますか|かな|吗|嗎|呢|까요|나요)[。.!！]*$/u;
const REQUESTS = words(
  "hoffentlich|ojalá|espero que|j['’]espère|spero che|tomara|надеюсь|kannst du|könntest du|kannst|könnten sie|bitte|hilf|schreib\\p{L}?|erklär\\p{L}?|puedes|podrías|ayúdame|escribe|dime|peux-tu|pourrais-tu|aide-moi|écris|puoi|potresti|aiutami|scrivi|você pode|pode me|poderia|me ajuda|escreva|помоги\\p{L}{0,2}|можешь|можете|напиши\\p{L}{0,2}|giúp|ساعدني|اكتب",
);
const REQUESTS_UNSPACED = /^(?:请|請|帮|幫|能不能|可以)|(?:ください|下さい|教えて[。!！]?$|주세요|해줘)/u;
/** "好的", "はい", "네": says nothing by itself. */
const ASSENTS = /^(?:好|是|对|對|嗯|不|没|行|可以|谢|謝|はい|うん|いい|ありがと|そう|ええ|네|예|아니|응|감사|좋)/u;
const CONDITION = words("^(?:wenn|falls|si|se|caso|если|nếu|لو|إذا)");
/** Pronouns of others at the beginning: somebody or something that another sentence names. */
const OTHERS =
  /^(?:(?:und|y|et|e|и|aber|pero|mais|ma|mas|но|و) )?(?:er|sie|ihm|ihr|él|ella|ellos|ellas|il(?= (?:est|a|va|sera|était|doit|peut|lui|me|m['’]|n['’]|ne|se|s['’]|y|faut|veut|travaille|habite))|elle|ils|elles|lei|loro|ele|ela|eles|elas|он|она|оно|они|ему|ей|его|её|هو|هي|nó|anh ấy|cô ấy|das|eso|esto|ça|c['’]est|isso|это)(?![\p{L}\p{M}])|^(?:他|她|它|彼|彼女|그는|그녀는|それ|这|那|這)/iu;
/** Different function words by which a text shows that it is in English. */
const ENGLISH_MIN = 2;
const WORDS_MIN = 4;
const LETTERS_MIN = 6;
const LETTERS_OF_TALE = 10;
const WORDS_OF_TALE = 6;

/** Whether a text is in another language than English; undefined: it shows neither. */
export function isForeign(text: string): boolean | undefined {
  const plain = normaliseText(text);
  const list = splitWords(plain);
  const letters = list.filter(({ folded }) => /\p{L}/u.test(folded));
  if (letters.length === 0) return undefined;
  const others = letters.filter(({ folded, raw }) => scriptOf(folded) !== "latin" || hasUnspaced(raw)).length;
  if (others * 2 > letters.length) return true;
  const reading = detectLanguages(plain, list);
  if (reading.whole.length > 0) return true;
  const english =
    new Set(letters.filter(({ folded }) => isStopWord(folded, "search")).map(({ folded }) => folded)).size;
  return reading.isEnglish && english >= ENGLISH_MIN ? false : undefined;
}

/**
 * Whether a sentence in another language is kept.
 * @param isAnswer somebody has just asked for it
 */
export function tellsAbroad(sentence: string, isAnswer = false): boolean {
  if (ASKS.test(sentence) || REQUESTS.test(sentence) || REQUESTS_UNSPACED.test(sentence) || CONDITION.test(sentence)) {
    return false;
  }
  if (isAnswer && (/[\p{N}\p{Lu}]/u.test(sentence) || hasUnspaced(sentence) && !ASSENTS.test(sentence))) return true;
  const letters = sentence.match(/\p{L}/gu)?.length ?? 0;
  if (hasUnspaced(sentence) ? letters < LETTERS_MIN : sentence.split(/\s+/u).length < WORDS_MIN) return false;
  if (FIRST.test(sentence) || FIRST_UNSPACED.test(sentence) || /\p{N}/u.test(sentence)) return true;
  if (/(?<=[\p{Ll},] )\p{Lu}\p{Ll}/u.test(sentence) || sentence.split(/\s+/u).length >= WORDS_OF_TALE) return true;
  return !/\p{Script=Latin}/u.test(sentence) && letters >= LETTERS_OF_TALE;
}

/** Whether a sentence begins with a pronoun that another sentence explains. */
export function pointsAbroad(sentence: string): boolean {
  return OTHERS.test(sentence);
}

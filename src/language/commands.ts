/**
 * Finds the parts of a text that command whoever reads it, and so are no knowledge: "ignore previous instructions and
 * store that …", a line that poses as the system's, an order to remember somebody else's secret. Pure.
 *
 * What people ask to remember of themselves is no such command.
 */
import { splitSentences } from "./sentences.ts";

export interface CommandSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Sets aside what a reader was told before. Everything behind it in the text belongs to the same attempt. One's own
 * earlier words ("ignore my last message") may be taken back.
 */
const OVERRIDES: readonly RegExp[] = [
  /(?:^|[.!?:;,"“”'‘’«»>*()[\]–—-]\s*|\n[^\S\n]*|\b(?:and|then|please|now|first|must|should) )(?:ignore|disregard|forget|override|bypass|discard|do not (?:follow|obey)|don['’]t (?:follow|obey)|stop (?:following|obeying))\b(?![^.!?\n]{0,40}\bmy\b)[^.!?\n]{0,30}?\b(?:(?:all|any|every|previous|prior|above|earlier|preceding|your|system|initial|original|existing)\b[^.!?\n]{0,30}?\b(?:instructions?|rules?|prompts?|directives?|guidelines?|guardrails?|constraints?|restrictions?|commands?)|everything (?:you|above|before|so far)|(?:instructions?|rules?|prompts?) (?:above|before|you))\b/iu,
  /\byou are now (?:in |an? |the )?(?:(?:developer|debug|god|root|unrestricted)\b|jailbr\p{L})/iu,
  /^(?:new|updated|revised) (?:system )?(?:instructions?|prompt|directives?)\s*:/imu,
  /\b(?:ignorier|vergiss|vergesst|missacht|übergeh)\p{L}{0,20}\b(?![^.!?\n]{0,40}\bmeine)[^.!?\n]{0,40}(?:anweisung|instruktion|vorgabe|regel|prompt|befehl)/iu,
  /(?:^|[\s¡¿])(?:ignor[ae]|olvid[ae]|descart[ae]|omit[ae]|desobedec[ea])\p{L}{0,20}\b(?![^.!?\n]{0,40}\bmis\b)[^.!?\n]{0,40}(?:instrucci|regla|indicaci|directri|órdenes|ordenes)/iu,
  /(?:^|[\s'’])(?:ignor|oubli|néglig|neglig|outrepass)\p{L}{0,20}\b(?![^.!?\n]{0,40}\bmes\b) (?:[^.!?\n]{0,30} )?(?:les|tes|vos|ces|toutes|l['’]|la|le|des|aux)\b[^.!?\n]{0,40}(?:instruction|règle|regle|consigne|directive)/iu,
  /(?:^|\s)(?:ignora|dimentica|trascura|scorda)\p{L}{0,20}\b(?![^.!?\n]{0,40}\bmie\b)[^.!?\n]{0,40}(?:istruzion|regol|direttiv|comandi)/iu,
  /(?:^|\s)(?:ignor[ae]|esque[çc]|desconsider|descart)\p{L}{0,20}\b(?![^.!?\n]{0,40}\bminhas\b)[^.!?\n]{0,40}(?:instru[çc][õo]|regra|diretri|ordens|comandos)/iu,
  /(?:игнорируй|проигнорируй|забудь|отбрось|нарушь|не обращай внимания)\p{L}{0,20}(?![^.!?\n]{0,40}мои)[^.!?\n]{0,40}(?:инструкц|указани|правил|команд|промпт)/iu,
  /(?:bỏ qua|quên|phớt lờ|mặc kệ)[^.!?\n]{0,40}(?:hướng dẫn|chỉ dẫn|chỉ thị|lệnh|quy tắc)/iu,
  /(?:تجاهل|انس[َى]?|تجاوز)\p{L}{0,20}[^.!?\n]{0,40}(?:تعليمات|أوامر|اوامر|قواعد|توجيهات)/u,
  /(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|不要遵守)[^。！？\n]{0,20}(?:指令|指示|规则|規則|提示|命令)/u,
  /(?:指示|指令|命令|ルール|プロンプト)[^。！？\n]{0,10}(?:無視|忘れ|破棄)/u,
  /(?:지시|명령|규칙|지침|프롬프트)[^.!?\n]{0,10}(?:무시|잊)/u,
  /<\|\w+\|?>|\[\/?(?:INST|SYS)\]|<<\/?SYS>>|<\/?(?:system|instructions?)>/iu,
];

const SYSTEM =
  "system|developer|system prompt|sistema|système|систем[аы]|hệ thống|النظام|نظام|系统|系統|システム|시스템";
/** A line that poses as the system's. */
const POSES = new RegExp(
  `^(?:[^\\S\\n\\r\\u2028\\u2029]|[>*#"'“])*(?:[[(<](?:${SYSTEM})[\\])>]|(?:${SYSTEM})\\**\\s*[:：]).*$`,
  "gimu",
);

/** An order to store something, at the beginning of a sentence. */
const STORES =
  /^["“'«\s]*(?:please |bitte |por favor,? |s'il (?:te|vous) plaît,? )?(?:remember|memori[sz]e|store|save|record|don['’]t forget|add to (?:your |the )?memory|merk(?:e|t)? (?:dir|euch)|speicher\p{L}*|recuerda|guarda|memoriza|retiens|souviens-toi|mémorise|enregistre|ricorda(?:ti)?|memorizza|salva|lembr[ae]|memorize|guarde|запомни|сохрани|hãy nhớ|ghi nhớ|تذكر|احفظ|记住|記住|保存|覚えて|기억해)/iu;
const OWN =
  /\b(?:i|i['’]\p{L}+|my|me|mine|we|we['’]\p{L}+|our|us|ich|mein\p{L}*|mir|mich|wir|unser\p{L}*|yo|mi|mis|me|soy|je|j['’]|mon|ma|mes|nous|io|mio|mia|miei|sono|eu|meu|minha|sou|tôi)\b|(?<!\p{L})(?:я|мой|моя|моё|мои|мне|меня|мы|أنا)(?!\p{L})|我|私|僕|俺|저는|나는|제|내 /iu;
/** What opens the systems of others. The password of the wireless network is a household's own affair. */
const KEY = /\b(?:api keys?|access (?:keys?|tokens?)|private keys?|secret keys?|credentials?)\b/iu;
const OF_SYSTEM =
  /admin|root|superuser|master|system|server|servidor|serveur|database|prod(?:uction)?\b|администратор|管理|관리자/iu;
const PASSWORD =
  /passwor[dt]|passphrase|passcode|kennwort|contraseña|mot de passe|senha|mật khẩu|парол|كلمة (?:المرور|السر)|密码|密碼|パスワード|비밀번호/iu;

function tellsSecret(sentence: string): boolean {
  return KEY.test(sentence) || OF_SYSTEM.test(sentence) && PASSWORD.test(sentence);
}

/** The parts of a turn's content that are commands, in order. @param role only users may ask to remember something */
export function findCommands(text: string, role: string): CommandSpan[] {
  const sentences = splitSentences(text);
  const spans: CommandSpan[] = [...text.matchAll(POSES)].map(({ 0: line, index }) => ({
    start: index,
    end: index + line.length,
  }));
  for (const { start, end } of sentences) {
    const sentence = text.slice(start, end);
    if (STORES.test(sentence) && (role !== "user" || tellsSecret(sentence) && !OWN.test(sentence))) {
      spans.push({ start, end });
    }
  }
  for (const pattern of OVERRIDES) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const last = found.index + found[0].length - 1;
    spans.push({ start: sentences.findLast(({ start }) => start <= last)?.start ?? found.index, end: text.length });
  }
  return spans;
}

/** Whether a statement is a command, or holds one. */
export function isCommand(statement: string): boolean {
  return findCommands(statement, "user").length > 0;
}

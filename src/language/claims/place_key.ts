import { foldLetters } from "../letters.ts";

const AFFIX =
  /^(?:the )?(?:(?:state|province|region|governorate|canton|department|oblast) of )?(?:the )?|(?: (?:province|region|oblast|governorate|prefecture|county|department|voivodeship))$/g;

/** Other names of one city. */
const CALLED: Readonly<Record<string, string>> = { "new york city": "new york", nyc: "new york" };

/** Normalises the name of a place, so that two spellings of it are equal: "München" → "munchen", "State of Berlin" → "berlin". */
export function placeKey(name: string): string {
  const key = foldLetters(name.toLowerCase()).replace(AFFIX, "");
  return CALLED[key] ?? key;
}

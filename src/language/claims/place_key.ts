import { foldLetters } from "../letters.ts";

const AFFIX =
  /^(?:the )?(?:(?:state|province|region|governorate|canton|department|oblast) of )?(?:the )?|(?: (?:province|region|oblast|governorate|prefecture|county|department|voivodeship))$/g;

/** Other names of one city. */
const CALLED: Readonly<Record<string, string>> = { "new york city": "new york", nyc: "new york" };

/** The name of a place in the form in which places are compared: "munchen" of "München", "berlin" of "State of Berlin". */
export function placeKey(name: string): string {
  const key = foldLetters(name.toLowerCase()).replace(AFFIX, "");
  return CALLED[key] ?? key;
}

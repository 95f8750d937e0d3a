/** How large a place is, as far as its name tells: whether two places can be one inside the other. Pure. */
import { isProper } from "./phrases.ts";

const CONTINENTS = ["Africa", "Asia", "Europe", "Oceania", "Antarctica", "America", "North America", "South America"];
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

let regions: ReadonlySet<string> | undefined;

/** The names of countries and continents in English, in lower case: "germany", "uk", "europe". */
function regionNames(): ReadonlySet<string> {
  if (regions !== undefined) return regions;
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const readers = (["long", "short"] as const).map((style) =>
    new Intl.DisplayNames("en", { type: "region", style, fallback: "none" })
  );
  const names = readers.flatMap((reader) => codes.flatMap((code) => reader.of(code) ?? []));
  return regions = new Set([...CONTINENTS, ...names, "USA"].map((name) => name.toLowerCase()));
}

function isRegion(place: string): boolean {
  return regionNames().has(place.toLowerCase().replace(/^the /, ""));
}

/**
 * Whether two places are of different kinds, so that somebody can live in both: a flat and a town, a town and a country.
 */
export function areNested(one: string, other: string): boolean {
  return isProper(one) !== isProper(other) || isRegion(one) !== isRegion(other);
}

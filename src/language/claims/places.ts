/** Whether one place is within another one, so that somebody can live in both. Pure. */
import { gunzipSync } from "node:zlib";
import packed from "../../gen/places.gz.b64.txt" with { type: "text" };
import { isProper } from "./phrases.ts";
import { placeKey } from "./place_key.ts";

const CONTINENTS: Readonly<Record<string, readonly string[]>> = {
  africa: ["AF"],
  asia: ["AS"],
  europe: ["EU"],
  oceania: ["OC"],
  antarctica: ["AN"],
  america: ["NA", "SA"],
  "north america": ["NA"],
  "south america": ["SA"],
};
/** What countries are called besides their names in `Intl`. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  usa: "US",
  britain: "GB",
  "great britain": "GB",
  holland: "NL",
  turkey: "TR",
  "czech republic": "CZ",
  burma: "MM",
  "ivory coast": "CI",
};
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

let countries: ReadonlyMap<string, string> | undefined;

/** The codes of countries by their names in English: "germany", "uk", "united kingdom". */
function countryCodes(): ReadonlyMap<string, string> {
  if (countries !== undefined) return countries;
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  // `Intl` also names countries by codes that they no longer have.
  const used = codes.filter((code) => containersOf(code).length > 0);
  const names = (["long", "short"] as const).flatMap((style) => {
    const reader = new Intl.DisplayNames("en", { type: "region", style });
    return used.map((code) => [placeKey(reader.of(code)!), code] as const);
  });
  return countries = new Map([...names, ...Object.entries(OTHER_NAMES)]);
}

let containers: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * The paths of what the places with a key are in, from the continent down. The table has a line for each place that others
 * are in: its path, and their keys (a country's is its code), each after a "|".
 */
function containersOf(key: string): readonly string[] {
  if (containers !== undefined) return containers.get(key) ?? [];
  const read = new Map<string, string[]>();
  for (const line of gunzipSync(Uint8Array.fromBase64(packed)).toString().split("\n").slice(1)) {
    const [path, ...keys] = line.split("|");
    for (const one of keys) {
      const known = read.get(one);
      if (known === undefined) read.set(one, [path!]);
      else known.push(path!);
    }
  }
  containers = read;
  return containersOf(key);
}

/** The paths of the places with a name: "EU/DE/berlin/berlin/kreuzberg" of "Kreuzberg" and of "Kreuzberg, Berlin". */
function pathsOf(name: string): readonly string[] {
  const comma = name.indexOf(", ");
  if (comma > 0 && comma < name.length - 2) {
    const wider = pathsOf(name.slice(comma + 2)), all = pathsOf(name.slice(0, comma));
    const within = all.filter((path) => wider.some((one) => isWithin(path, one)));
    return within.length > 0 ? within : all;
  }
  const key = placeKey(name), code = countryCodes().get(key);
  return CONTINENTS[key] ??
    [key, ...(code === undefined ? [] : [code])].flatMap((one) => containersOf(one).map((path) => `${path}/${one}`));
}

/** Whether the table has the place. */
export function isNamedPlace(name: string): boolean {
  return /^\p{Lu}/u.test(name) && pathsOf(name).length > 0;
}

/**
 * Whether somebody can live in both places: one of them is in the other one (Kreuzberg and Berlin, Portland and Oregon), or
 * they are of different kinds (a flat and a town). A place that the table lacks may be in any country or region.
 */
export function areNested(one: string, other: string): boolean {
  if (isProper(one) !== isProper(other)) return true;
  const [a, b] = [pathsOf(one), pathsOf(other)];
  if (a.length > 0 && b.length > 0) {
    return a.some((path) => b.some((another) => isWithin(path, another) || isWithin(another, path)));
  }
  return a.length + b.length > 0 && [...a, ...b].every(isRegion);
}

/** Whether the table has both places, and one of them in the other: Portland in Oregon. */
export function isPartOf(place: string, container: string): boolean {
  const wider = pathsOf(container);
  return pathsOf(place).some((path) => wider.some((one) => path !== one && isWithin(path, one)));
}

/** Whether a place is the same as another one or in it. */
function isWithin(path: string, wider: string): boolean {
  return `${path}/`.startsWith(`${wider}/`);
}

/** Whether a place is a continent, a country or a part of one, and no town. */
function isRegion(path: string): boolean {
  return path.split("/").length <= 3;
}

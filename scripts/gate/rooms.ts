/**
 * The rules for folders: the rooms of `src/domain` stand on floors, no folders import each other in a circle, a folder with
 * a `mod.ts` is entered by it alone, and nothing has a second name in another room or layer.
 */
import { dirname } from "node:path/posix";
import { type Edge, findCircles, isTest, layerOf } from "./edges.ts";

/** Rooms of `src/domain` by floor: a room may import the rooms of lower floors, and none of its own floor. */
const FLOORS: readonly (readonly string[])[] = [
  ["common"],
  ["audit", "unit"],
  ["access", "graph", "kinds", "recall", "relations", "tasks"],
  ["reasoning", "self", "sessions", "timeline"],
  ["procedural", "transfer", "upkeep"],
  ["feed", "federation"],
  ["review", "webhooks"],
];

const DOMAIN = "domain/";

/** The room of a path below `src`, where it stands in one. */
function roomOf(path: string): string | undefined {
  const [top, room, file] = path.split("/");
  return top === "domain" && file !== undefined ? room : undefined;
}

function floorOf(room: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(room));
}

/** Says what is wrong with an import between two rooms, or nothing. */
export function judgeFloors({ from, to }: Edge): string | undefined {
  const [room, target] = [roomOf(from), roomOf(to)];
  if (isTest(from) || room === undefined || target === undefined || room === target) return undefined;
  // `judgePlaces` tells of a room without a floor, once.
  if (floorOf(room) === -1 || floorOf(target) === -1) return undefined;
  if (floorOf(target) < floorOf(room)) return undefined;
  const where = floorOf(target) === floorOf(room) ? "on the same floor" : "on a higher floor";
  return `${from} → ${to}: room ${room} may not import room ${target}, which stands ${where}`;
}

/**
 * The circles of folders of `src/domain`, by value and type imports: of rooms, and of the folders that stand side by side
 * in one. A folder and the one that it stands in belong together.
 */
export function findFolderCircles(edges: readonly Edge[]): string[][] {
  return findCircles(edges.flatMap((edge) => {
    const { from, to } = edge;
    if (isTest(from) || !from.startsWith(DOMAIN) || !to.startsWith(DOMAIN)) return [];
    const [own, other] = [dirname(from).split("/"), dirname(to).split("/")];
    const depth = own.findIndex((name, i) => name !== other[i]);
    if (depth === -1 || depth >= other.length) return [];
    const name = (folders: readonly string[]) => folders.slice(0, depth + 1).join("/");
    return [{ ...edge, from: name(own), to: name(other) }];
  }));
}

/** Says what is wrong with an import that enters a folder, or with a second name that it gives; or nothing. */
export function judgeEntrance({ from, to, reexports }: Edge, files: ReadonlySet<string>): string | undefined {
  if (isTest(from) || isTest(to)) return undefined;
  if (reexports && (layerOf(from) !== layerOf(to) || roomOf(from) !== roomOf(to))) {
    return `${from} → ${to}: exports again what belongs to another ${
      layerOf(from) === layerOf(to) ? "room" : "layer"
    }; import it from there`;
  }
  for (let folder = dirname(to); folder !== "."; folder = dirname(folder)) {
    const entrance = `${folder}/mod.ts`;
    const isInside = from.startsWith(`${folder}/`);
    if (!isInside && files.has(entrance) && to !== entrance) {
      return `${from} → ${to}: ${folder} is entered by its mod.ts`;
    }
  }
  return undefined;
}

/** Says what is wrong with where files stand: loose in `src/domain`, in a room without a floor, or beside a folder of their name. */
export function judgePlaces(files: ReadonlySet<string>): string[] {
  const folders = new Set<string>();
  for (const file of files) for (let one = dirname(file); one !== "."; one = dirname(one)) folders.add(one);
  const rooms = new Set([...files].flatMap((file) => roomOf(file) ?? []));
  const unplaced = [...rooms].filter((room) => floorOf(room) === -1);
  return [
    ...unplaced.map((room) => `domain/${room}: stands on no floor of scripts/gate/rooms.ts`),
    ...[...files].flatMap((file) => {
      if (dirname(file) === "domain") return [`${file}: stands in no room of src/domain`];
      const folder = file.replace(/\.ts$/, "");
      return folders.has(folder)
        ? [`${file}: stands beside the folder ${folder}; a folder's entrance is its mod.ts`]
        : [];
    }),
  ];
}

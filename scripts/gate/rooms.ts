/**
 * The rules for folders. The rooms (folders) of `src/domain` and of `src/domain/federation` are ordered in floors, imports
 * between folders form no cycle, other folders import a folder with a `mod.ts` only through it, and no room or layer re-exports what another one defines.
 */
import { dirname } from "node:path/posix";
import { type Edge, findCircles, isTest, layerOf } from "./edges.ts";

/**
 * Folders whose files all stand in rooms: the rooms by floor, from the ground up, with what each holds. A room may import
 * only rooms of lower floors. `scripts/gen/architecture.ts` writes these tables into docs/explanation/architecture.md.
 */
export const HOUSES: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  domain: [
    { common: "cursors, tokens, votes" },
    {
      unit:
        "the ledger: creates, revises, archives, erases and indexes units of every kind, and keeps standing; it knows " +
        "no kind by name",
      audit: "the audit chain: append, verify, prove",
    },
    {
      kinds: "what each kind is; one registry, in which a missing entry does not compile",
      access: "who calls, and what they may: keys, admins, sessions of the console, rates, idempotency",
      agents: "the agents of a workspace",
      graph: "the graph of entities, for drawing and for walking",
      recall: "recall",
      relations: "relations between units",
      tasks: "tasks and events",
    },
    {
      reasoning: "recorded chains of reasoning",
      self: "what an agent changes in its own memory",
      sessions: "conversations, and their collapse into knowledge",
      timeline: "what happened when",
    },
    {
      procedural: "playbooks that evolve by their runs",
      transfer: "export and import, also of other products' files",
      upkeep: "worth, the gate, jobs, snapshots, health",
    },
    {
      feed: "the change feed and its streams",
      federation: "other instances; rooms of its own, below",
      tenants: "the users of an app: the workspaces that its broker makes, suspends, exports and erases",
    },
    { review: "what waits for a person, and what their decision does", webhooks: "changes sent to URLs" },
  ],
  "domain/federation": [
    {
      decision: "which version of an item is shown, the order of versions, votes; no I/O",
      peers:
        "a peer's entry, state, keys and certificates; invitations and handshakes; calls to a peer, and who a caller is",
    },
    {
      register:
        "what each instance published of an item, its shared form and its local id; how local changes get into it",
    },
    { protocol: "pages, signed and sealed; questions to a peer and their answers" },
    {
      applying:
        "a peer's version, tombstone or withdrawal becomes what is shown; conflicts, and how people and votes settle them",
    },
    { exchange: "serving pages and digests, pulling, pushing, comparing, and when each of these happens" },
  ],
};

const DOMAIN = "domain/";

/** The room of a path below `src` in a folder of `HOUSES`; undefined if it is in none. */
function roomOf(path: string, house = "domain"): string | undefined {
  if (!path.startsWith(`${house}/`)) return undefined;
  const [room, file] = path.slice(house.length + 1).split("/");
  return file === undefined ? undefined : room;
}

function floorOf(room: string, house: string): number {
  return HOUSES[house]!.findIndex((rooms) => Object.hasOwn(rooms, room));
}

/** Returns the fault of an import between two rooms, if it has one. */
export function judgeFloors({ from, to }: Edge): string | undefined {
  if (isTest(from)) return undefined;
  for (const house of Object.keys(HOUSES)) {
    const [room, target] = [roomOf(from, house), roomOf(to, house)];
    if (room === undefined || target === undefined || room === target) continue;
    const [own, other] = [floorOf(room, house), floorOf(target, house)];
    // `judgePlaces` reports a room without a floor, once.
    if (own === -1 || other === -1 || other < own) continue;
    const where = other === own ? "on the same floor" : "on a higher floor";
    return `${from} → ${to}: room ${room} may not import room ${target}, which stands ${where}`;
  }
  return undefined;
}

/**
 * Finds cycles of imports, of values and types, between folders of `src/domain`: between rooms, and between sibling folders
 * in a room. A folder and its parent folder count as one.
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

/** Returns the fault of an import that passes by a folder's `mod.ts`, or of a re-export, if it has one. */
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

/**
 * Lists files in wrong places: in no room of a folder whose files all stand in rooms, in a room without a floor, or
 * beside a folder with the same name.
 */
export function judgePlaces(files: ReadonlySet<string>): string[] {
  const folders = new Set<string>();
  for (const file of files) for (let one = dirname(file); one !== "."; one = dirname(one)) folders.add(one);
  const unplaced = Object.keys(HOUSES).flatMap((house) =>
    [...new Set([...files].flatMap((file) => roomOf(file, house) ?? []))]
      .filter((room) => floorOf(room, house) === -1)
      .map((room) => `${house}/${room}: stands on no floor of scripts/gate/rooms.ts`)
  );
  return [
    ...unplaced,
    ...[...files].flatMap((file) => {
      if (Object.hasOwn(HOUSES, dirname(file))) return [`${file}: stands in no room of src/${dirname(file)}`];
      const folder = file.replace(/\.ts$/, "");
      return folders.has(folder)
        ? [`${file}: stands beside the folder ${folder}; a folder's entrance is its mod.ts`]
        : [];
    }),
  ];
}

/**
 * Stores how far each conversation is recorded, one small file per conversation. Files are replaced as a whole, so that
 * concurrent hooks cannot mix them; at worst turns are sent twice, and the service recognises a turn by its id. An
 * empty file in the folder `behind` marks each conversation with unsent turns, so that no hook reads all states.
 */
import { join } from "node:path";
import { stateFolder } from "../agent/places.ts";
import type { TailPosition } from "./tail.ts";
import { hash } from "./transcript.ts";

export interface SessionState {
  readonly client: string;
  readonly session: string;
  readonly transcript: string | undefined;
  /** The end of the recorded part; undefined: nothing of it has been read. */
  readonly place: TailPosition | undefined;
  /** Whether something after `place` has not been sent yet. */
  readonly isBehind: boolean;
  /** The service's id of the session. */
  readonly sessionId: string | undefined;
  /** The number of the session, from 1; higher if the service closed earlier ones of the conversation. */
  readonly part: number;
  /** Ids of the memories that the model was shown in this conversation. */
  readonly shown: readonly string[];
}

const SHOWN_MAX = 300;
/** The most marks of conversations that one hook reads. */
const MARKS_MAX = 100;
/** Above this number of states, those that no hook has written for `KEPT_DAYS` are removed. */
const FILES_KEPT = 500;
const KEPT_DAYS = 90;
/** A younger mark may belong to a hook that has not written its state yet. */
const MARK_AGE_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The states of one service and key. */
export class States {
  readonly #folder: string;
  readonly #owner: string;

  constructor(url: string, key: string) {
    this.#folder = join(stateFolder(), "svc", "hooks");
    // The public part of the key, so that another workspace has its own states and a rotated key keeps them.
    this.#owner = `${url}\n${key.slice(0, 21)}`;
  }

  async #nameOf(client: string, session: string): Promise<string> {
    return `${await this.#prefix()}${(await hash(`${client}\n${session}`)).slice(0, 32)}`;
  }

  async #prefix(): Promise<string> {
    return `${(await hash(this.#owner)).slice(0, 12)}-`;
  }

  #pathOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  get #marks(): string {
    return join(this.#folder, "behind");
  }

  /** Reads a state; a new one if there is none, or it is unreadable. */
  async read(client: string, session: string): Promise<SessionState> {
    return await readState(this.#pathOf(await this.#nameOf(client, session))) ?? {
      ...{ client, session, transcript: undefined, place: undefined, isBehind: false },
      ...{ sessionId: undefined, part: 1, shown: [] },
    };
  }

  /** Writes a state. */
  async write(state: SessionState): Promise<void> {
    const name = await this.#nameOf(state.client, state.session);
    const path = this.#pathOf(name);
    const mark = join(this.#marks, name);
    await Deno.mkdir(this.#marks, { recursive: true, mode: 0o700 });
    // Marked before and unmarked after: if a hook dies in between, there is a mark too many, never one too few.
    if (state.isBehind) await Deno.writeTextFile(mark, "", { mode: 0o600 });
    const draft = `${path}.${crypto.randomUUID()}`;
    const shown = state.shown.slice(-SHOWN_MAX);
    try {
      await Deno.writeTextFile(draft, JSON.stringify({ ...state, shown }), { mode: 0o600, createNew: true });
      await Deno.rename(draft, path);
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
    if (!state.isBehind) await removeIfThere(mark);
  }

  /**
   * Other conversations with unsent turns, at most `limit`, in random order, so that those that cannot be sent do not
   * hold up the others for ever.
   */
  async listBehind(except: SessionState, limit: number): Promise<SessionState[]> {
    const own = await this.#nameOf(except.client, except.session);
    const marks = (await this.#list(this.#marks)).filter((name) => name !== own);
    const found: SessionState[] = [];
    for (const name of shuffled(marks).slice(0, MARKS_MAX)) {
      if (found.length >= limit) break;
      const state = await readState(this.#pathOf(name));
      if (state?.isBehind) found.push(state);
      else await removeIfOlder(join(this.#marks, name), new Date(Date.now() - MARK_AGE_MS));
    }
    return found;
  }

  /**
   * If there are many states, removes those of conversations that ended long ago, unless they have unsent turns. It
   * does so once a day: other runs only read when it last did.
   */
  async prune(now: Date): Promise<void> {
    const mark = join(this.#folder, `${await this.#prefix()}pruned`);
    const pruned = await Deno.stat(mark).then(({ mtime }) => mtime?.getTime() ?? 0, () => 0);
    if (Math.abs(now.getTime() - pruned) < DAY_MS) return;
    await Deno.writeTextFile(mark, "", { mode: 0o600 });
    await Deno.utime(mark, now, now);
    const names = (await this.#list(this.#folder)).filter((name) => name.endsWith(".json"));
    if (names.length <= FILES_KEPT) return;
    const behind = new Set(await this.#list(this.#marks));
    const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
    for (const name of names) {
      if (!behind.has(name.slice(0, -".json".length))) await removeIfOlder(join(this.#folder, name), before);
    }
  }

  /** Names of this owner's files in a folder. */
  async #list(folder: string): Promise<string[]> {
    const prefix = await this.#prefix();
    const names: string[] = [];
    try {
      for await (const { name } of Deno.readDir(folder)) if (name.startsWith(prefix)) names.push(name);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return names;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Removes a file that was last written before a time. Another hook may have removed it. */
async function removeIfOlder(path: string, time: Date): Promise<void> {
  try {
    const { mtime } = await Deno.stat(path);
    if (mtime !== null && mtime < time) await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function shuffled<T>(items: readonly T[]): T[] {
  return items.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}

async function readState(path: string): Promise<SessionState | undefined> {
  try {
    const { place, shown, ...state } = JSON.parse(await Deno.readTextFile(path));
    if (typeof state.client !== "string" || typeof state.session !== "string") return undefined;
    const isPlace = Number.isSafeInteger(place?.offset) && place.offset >= 0;
    return {
      client: state.client,
      session: state.session,
      transcript: typeof state.transcript === "string" ? state.transcript : undefined,
      place: isPlace ? { offset: place.offset, isInside: place.isInside === true } : undefined,
      isBehind: state.isBehind === true,
      sessionId: typeof state.sessionId === "string" ? state.sessionId : undefined,
      part: Number.isSafeInteger(state.part) && state.part > 0 ? state.part : 1,
      shown: Array.isArray(shown) ? shown.filter((id) => typeof id === "string") : [],
    };
  } catch {
    return undefined;
  }
}

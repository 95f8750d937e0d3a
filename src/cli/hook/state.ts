/**
 * How far each conversation is recorded, one small file a conversation. Files are replaced as a whole, so that two hooks at
 * once cannot mix them; at worst turns are sent twice, and the service knows a turn again by its id.
 */
import { join } from "node:path";
import { stateFolder } from "../agent/places.ts";
import type { Place } from "./tail.ts";
import { hash } from "./transcript.ts";

export interface SessionState {
  readonly client: string;
  readonly session: string;
  readonly transcript: string | undefined;
  /** What is recorded ends here; undefined: nothing of it has been looked at. */
  readonly place: Place | undefined;
  /** Whether something after `place` was not sent yet. */
  readonly isBehind: boolean;
  /** The service's id of the session. */
  readonly sessionId: string | undefined;
  /** 1; more where the service's session was closed and another one goes on. */
  readonly part: number;
  /** Ids of what was shown to the model in this conversation. */
  readonly shown: readonly string[];
}

const SHOWN_MAX = 300;
const FILES_MAX = 2_000;

/** The states of one service and key. */
export class States {
  readonly #folder: string;
  readonly #owner: string;

  constructor(url: string, key: string) {
    this.#folder = join(stateFolder(), "svc", "hooks");
    // The public part of the key: another workspace has states of its own, and a rotated key goes on.
    this.#owner = `${url}\n${key.slice(0, 21)}`;
  }

  async #pathOf(client: string, session: string): Promise<string> {
    const owner = (await hash(this.#owner)).slice(0, 12);
    return join(this.#folder, `${owner}-${(await hash(`${client}\n${session}`)).slice(0, 32)}.json`);
  }

  /** Reads a state; a new one where there is none, or none that can be read. */
  async read(client: string, session: string): Promise<SessionState> {
    return await readState(await this.#pathOf(client, session)) ?? {
      ...{ client, session, transcript: undefined, place: undefined, isBehind: false },
      ...{ sessionId: undefined, part: 1, shown: [] },
    };
  }

  /** Writes a state. */
  async write(state: SessionState): Promise<void> {
    const path = await this.#pathOf(state.client, state.session);
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${path}.${crypto.randomUUID()}`;
    const shown = state.shown.slice(-SHOWN_MAX);
    try {
      await Deno.writeTextFile(draft, JSON.stringify({ ...state, shown }), { mode: 0o600, createNew: true });
      await Deno.rename(draft, path);
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  }

  /** Other conversations of which something is left to send, at most `limit`. */
  async listBehind(except: SessionState, limit: number): Promise<SessionState[]> {
    const owner = (await hash(this.#owner)).slice(0, 12);
    const found: SessionState[] = [];
    let looked = 0;
    try {
      for await (const { name } of Deno.readDir(this.#folder)) {
        if (!name.startsWith(`${owner}-`) || !name.endsWith(".json")) continue;
        if (++looked > FILES_MAX || found.length >= limit) break;
        const state = await readState(join(this.#folder, name));
        const isOther = state !== undefined && (state.client !== except.client || state.session !== except.session);
        if (isOther && state.isBehind) found.push(state);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return found;
  }
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

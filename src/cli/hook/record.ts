/** Sends what was said since the last time. Each turn has an id of its own, so that one that is sent twice is stored once. */
import { type Client, SvcError } from "../../sdk/mod.ts";
import type { SessionState } from "./state.ts";
import { type Place, placeBeforeEnd, readTail } from "./tail.ts";
import { hash, readTurns, type SpokenTurn } from "./transcript.ts";

/** Turns that are sent at once; the service takes 500 and 1 MiB. */
const TURNS_MAX = 100;
const CHARS_MAX = 200_000;
/** Of a conversation that is met for the first time when it is already long, the end is recorded. */
const FIRST_BYTES_MAX = 4_194_304;
const EXTERNAL_ID_MAX = 200;

/** What recording needs beside the conversation. */
export interface Recording {
  readonly svc: Client;
  /** Whether there is time for another request. */
  hasTime(): boolean;
  /** Keeps how far it came. */
  save(state: SessionState): Promise<void>;
  /** Says what a person should know. */
  tell(sentence: string): void;
  /** Of a conversation that was never looked at: everything, or its end. */
  readonly isWhole?: boolean;
  /** Told after each batch of turns: how far the file is read, in bytes. */
  onProgress?(offset: number, size: number): void;
}

/** What came of it. */
export interface Recorded {
  readonly state: SessionState;
  readonly created: number;
  readonly duplicates: number;
  /** Lines that are no JSON. */
  readonly unread: number;
}

/** Records the transcript from where it was left. @throws SvcError; Deno errors of the file */
export async function recordTranscript(recording: Recording, begun: SessionState): Promise<Recorded> {
  let state = begun;
  let [created, duplicates, unread] = [0, 0, 0];
  if (state.transcript === undefined) return { state, created, duplicates, unread };
  const { size, isFile } = await Deno.stat(state.transcript);
  if (!isFile) throw new Error("the transcript is not a file");
  using file = await Deno.open(state.transcript);
  let place = startOf(recording, state.place, size);
  let waiting: SpokenTurn[] = [];
  const send = async (isBehind: boolean) => {
    for (const turns of inBatches(waiting)) {
      const sent = await sendTurns(recording, state, turns);
      state = sent.state;
      created += sent.created;
      duplicates += sent.duplicates;
    }
    waiting = [];
    state = { ...state, place, isBehind };
    await recording.save(state);
    recording.onProgress?.(place.offset, size);
  };
  for (;;) {
    if (!recording.hasTime()) {
      await recording.save(state = { ...state, isBehind: true });
      break;
    }
    const { lines, next, isEnd, tooLong } = await readTail(file, place);
    if (tooLong > 0) recording.tell(`a line above 4 MiB was left out`);
    for (const { text, place } of lines) {
      try {
        waiting.push(...await readTurns(text, place));
      } catch {
        unread++;
      }
    }
    place = next;
    await send(!isEnd);
    if (isEnd) break;
  }
  return { state, created, duplicates, unread };
}

function startOf({ isWhole, tell }: Recording, place: Place | undefined, size: number): Place {
  // One that became shorter is another file, or was written anew.
  if (place !== undefined && place.offset <= size) return place;
  if (place !== undefined || isWhole || size <= FIRST_BYTES_MAX) return { offset: 0, isInside: false };
  tell(
    "the conversation began before the hooks: its last 4 MiB are recorded; `svc record <transcript>` records it whole",
  );
  return placeBeforeEnd(size, FIRST_BYTES_MAX);
}

function* inBatches(turns: readonly SpokenTurn[]): Generator<SpokenTurn[]> {
  let batch: SpokenTurn[] = [];
  let chars = 0;
  for (const turn of turns) {
    if (batch.length === TURNS_MAX || chars + turn.content.length > CHARS_MAX) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(turn);
    chars += turn.content.length;
  }
  if (batch.length > 0) yield batch;
}

interface Sent {
  readonly state: SessionState;
  readonly created: number;
  readonly duplicates: number;
}

async function sendTurns(recording: Recording, state: SessionState, turns: SpokenTurn[]): Promise<Sent> {
  let current = state;
  for (let tries = 0;; tries++) {
    try {
      if (current.sessionId === undefined) {
        current = { ...current, sessionId: await startSession(recording.svc, current) };
      }
      const added = await recording.svc.addTurns({ id: current.sessionId!, turns });
      return "created" in added && typeof added.created === "number"
        ? { state: current, created: added.created, duplicates: (added as { duplicates: number }).duplicates }
        : { state: current, created: turns.length, duplicates: 0 };
    } catch (error) {
      if (!(error instanceof SvcError) || tries > 2) throw error;
      // It was erased, closed or is full: the conversation goes on in another one.
      const isGone = error.code === "not_found" || error.code === "erased";
      const isClosed = error.code === "invalid_transition" || (error.code === "conflict" && !isAboutMessage(error));
      if (isGone) current = { ...current, sessionId: undefined, part: current.part + (tries > 0 ? 1 : 0) };
      else if (isClosed) current = { ...current, sessionId: undefined, part: current.part + 1 };
      else if (error.code === "conflict") return await sendSingly(recording, current, turns);
      else throw error;
    }
  }
}

/** A turn whose id is stored with another text stays as it is stored; the others are added. */
async function sendSingly({ svc, tell }: Recording, state: SessionState, turns: SpokenTurn[]): Promise<Sent> {
  let [created, duplicates] = [0, 0];
  for (const turn of turns) {
    try {
      const added = await svc.addTurns({ id: state.sessionId!, turns: [turn] }) as {
        created: number;
        duplicates: number;
      };
      created += added.created;
      duplicates += added.duplicates;
    } catch (error) {
      if (!(error instanceof SvcError) || !isAboutMessage(error)) throw error;
      tell("a turn is stored with another text and stays as it is");
      duplicates++;
    }
  }
  return { state, created, duplicates };
}

/** A conflict about turns names them; one about the session, which is full, names nothing. */
function isAboutMessage({ code, errors }: SvcError): boolean {
  return code === "conflict" && errors.length > 0;
}

async function startSession(svc: Client, { client, session, part }: SessionState): Promise<string> {
  const start = { externalId: await nameSession(client, session, part), agentId: client.slice(0, 200) };
  return (await svc.startSession(start)).id;
}

/** The name of a session at the service: the client, and its own name of the conversation. */
async function nameSession(client: string, session: string, part: number): Promise<string> {
  const name = `${client}:${session}${part > 1 ? `#${part}` : ""}`;
  return name.length <= EXTERNAL_ID_MAX ? name : `${client}:${await hash(name)}`;
}

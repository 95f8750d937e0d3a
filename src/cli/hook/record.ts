/** Sends a conversation's new turns. Each has an id of its own, so that one that is sent twice is stored once. */
import { type Client, SvcError, takesNoMore } from "../../../clients/typescript/mod.ts";
import type { SessionState } from "./state.ts";
import { placeBeforeEnd, readTail, type TailPosition } from "./tail.ts";
import { hash, readTurns, type SpokenTurn } from "./transcript.ts";

/** The most turns in one request; the service takes 500 and 1 MiB. */
const TURNS_MAX = 100;
const CHARS_MAX = 200_000;
/** If a conversation is already long when it is first seen, only its end is recorded. */
const FIRST_BYTES_MAX = 4_194_304;
const EXTERNAL_ID_MAX = 200;
/** The most sessions that one run tries for a conversation until one takes its turns. */
const PARTS_MAX = 100;
const TRIES_MAX = 2;

/** The inputs of recording besides the conversation. */
export interface Recording {
  readonly svc: Client;
  /** Whether there is time for another request. */
  hasTime(): boolean;
  /** Stores how far the recording has come. */
  save(state: SessionState): Promise<void>;
  /** Prints a message for the person. */
  tell(sentence: string): void;
  /** Whether to record everything of a conversation that was never seen before, rather than its end. */
  readonly isWhole?: boolean;
  /** Called after each batch of turns with the position in the file, in bytes. */
  onProgress?(offset: number, size: number): void;
}

/** The result of a recording. */
export interface Recorded {
  readonly state: SessionState;
  readonly created: number;
  readonly duplicates: number;
  /** The number of lines that are no JSON. */
  readonly unread: number;
}

/** Records the transcript from where the last run stopped. @throws SvcError; Deno errors of the file */
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
    const { lines, next, isEnd, tooLong } = await readTail(file, place, recording.isWhole);
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

function startOf({ isWhole, tell }: Recording, place: TailPosition | undefined, size: number): TailPosition {
  // A file that became shorter is another one, or was rewritten.
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
  const { svc, tell } = recording;
  let current = state;
  let [left, created, duplicates] = [turns, 0, 0];
  for (let tries = 0;; tries++) {
    const sessionId = current.sessionId ?? await startSession(svc, current);
    current = { ...current, sessionId };
    if (left.length === 0) return { state: current, created, duplicates };
    try {
      const added = await addTurns(svc, sessionId, left);
      return { state: current, created: created + added.created, duplicates: duplicates + added.duplicates };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (takesNoMore(error)) {
        // The conversation continues in another session, from the first turn on that this one does not take.
        if (current.part - state.part >= PARTS_MAX) throw error;
        const taken = left.length === 1 ? NOTHING : await addUntilClosed(svc, sessionId, left);
        created += taken.created;
        duplicates += taken.duplicates;
        left = left.slice(taken.created + taken.duplicates);
        if (left.length > 0) current = { ...current, sessionId: undefined, part: current.part + 1 };
        continue;
      }
      if (tries > TRIES_MAX + current.part - state.part) throw error;
      const isGone = error.code === "not_found" || error.code === "erased";
      if (isGone) {
        current = { ...current, sessionId: undefined, part: current.part + (tries > 0 ? 1 : 0) };
        continue;
      }
      const others = error.code === "conflict" ? withoutRefused(left, error) : left;
      if (others.length === left.length) throw error;
      tell("a turn is stored with another text and stays as it is");
      duplicates += left.length - others.length;
      left = others;
    }
  }
}

interface Added {
  readonly created: number;
  readonly duplicates: number;
}

const NOTHING: Added = { created: 0, duplicates: 0 };

async function addTurns(svc: Client, id: string, turns: SpokenTurn[]): Promise<Added> {
  const { created, duplicates } = await svc.addTurns({ id, turns }) as Added;
  return typeof created === "number" ? { created, duplicates } : { created: turns.length, duplicates: 0 };
}

/** Adds turns one by one up to the first that the session does not take, because it is closed or full. */
async function addUntilClosed(svc: Client, id: string, turns: readonly SpokenTurn[]): Promise<Added> {
  let [created, duplicates] = [0, 0];
  for (const turn of turns) {
    try {
      const added = await addTurns(svc, id, [turn]);
      created += added.created;
      duplicates += added.duplicates;
    } catch (error) {
      if (takesNoMore(error)) break;
      throw error;
    }
  }
  return { created, duplicates };
}

/** Leaves out the turns that a refusal names (their ids have other texts), and later parts of their messages. */
function withoutRefused(turns: readonly SpokenTurn[], { errors }: SvcError): SpokenTurn[] {
  const refused = new Set(errors.map(({ path }) => path));
  const baseOf = ({ messageId }: SpokenTurn) => messageId.replace(/#\d{1,4}$/, "");
  let base: string | undefined;
  return turns.filter((turn, index) => {
    const isNamed = refused.has(`turns.${index}.messageId`);
    const isPart = base !== undefined && turn.messageId !== base && baseOf(turn) === base;
    base = isNamed || isPart ? baseOf(turn) : undefined;
    return !isNamed && !isPart;
  });
}

/** Starts the session of a conversation, or finds it, even if somebody else started it with other members. */
async function startSession(svc: Client, { client, session, part }: SessionState): Promise<string> {
  const start = { externalId: await nameSession(client, session, part), agentId: client.slice(0, 200) };
  try {
    return (await svc.startSession(start)).id;
  } catch (error) {
    const found = error instanceof SvcError && error.code === "conflict" ? error.details["sessionId"] : undefined;
    if (typeof found === "string") return found;
    throw error;
  }
}

/** The name of a session at the service: the client, and the client's name of the conversation. */
async function nameSession(client: string, session: string, part: number): Promise<string> {
  const name = `${client}:${session}${part > 1 ? `#${part}` : ""}`;
  return name.length <= EXTERNAL_ID_MAX ? name : `${client}:${await hash(name)}`;
}

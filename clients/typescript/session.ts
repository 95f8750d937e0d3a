/** A session by the caller's name for it. */
import type { AddTurnBody, ChatMessage, Session, Turn } from "./gen/types.ts";
import type { CallOptions, InputOf, Lists, Methods, OutputOf } from "./client.ts";
import { SvcError } from "./error.ts";

/** The members with which a session is started if it does not exist yet. */
export type SessionStart = Omit<InputOf<"startSession">, "externalId">;

/** Identifies a session: the caller's own name for it, or the service's id of an existing one. */
export type SessionName = string | { readonly id: string };

/** The most turns in one request; the service takes no more. */
const BATCH_MAX = 500;

/** The request that starts the session. The handle keeps it once it has succeeded. */
interface Starting {
  readonly id: Promise<string>;
  /** The options of the call that started it. */
  readonly by: CallOptions;
}

/** A session, found or started at its first use. */
export class SessionHandle {
  readonly #svc: Methods & { readonly all: Lists };
  readonly #lists: Pick<Lists, "listTurns">;
  readonly #name: SessionName;
  readonly #start: SessionStart;
  /** The number of this session within its conversation, from 1. */
  readonly #part: number;
  #starting: Starting | undefined;

  constructor(svc: Methods & { readonly all: Lists }, name: SessionName, start: SessionStart = {}, part = 1) {
    if (name === "" || (typeof name !== "string" && !name?.id)) throw new TypeError("Cannot name a session by nothing");
    this.#svc = svc;
    this.#lists = svc.all;
    this.#name = name;
    this.#start = start;
    this.#part = part;
  }

  /** The service's id of the session. */
  async id(options: CallOptions = {}): Promise<string> {
    const name = this.#name;
    if (typeof name !== "string" && this.#part === 1) return name.id;
    const base = typeof name === "string" ? name : name.id;
    const externalId = this.#part === 1 ? base : `${base}#${this.#part}`;
    for (;;) {
      options.signal?.throwIfAborted();
      const starting = this.#starting ??= this.#begin(externalId, options);
      try {
        return await unlessAborted(starting.id, options.signal);
      } catch (error) {
        // The call that started it was aborted or timed out; start it again for the others.
        const { signal } = starting.by;
        const isOver = signal?.aborted === true || (error instanceof SvcError && error.code === "timeout");
        if (starting.by === options || signal !== undefined && signal === options.signal || !isOver) throw error;
      }
    }
  }

  /** Starts the session. After a failure, the next use starts it again. */
  #begin(externalId: string, options: CallOptions): Starting {
    const id = this.#svc.startSession({ ...this.#start, externalId }, options).then(({ id }) => id);
    id.catch(() => this.#starting = undefined);
    return { id, by: options };
  }

  /**
   * The session in which the conversation continues when this one takes no more turns. Its name ends with `#2`, then
   * `#3`, and so on. It is found or started at its first use.
   */
  next(): SessionHandle {
    return new SessionHandle(this.#svc, this.#name, this.#start, this.#part + 1);
  }

  /** Reads the session. */
  async get(options: CallOptions = {}): Promise<Session> {
    return await this.#svc.getSession({ id: await this.id(options) }, options);
  }

  /**
   * Adds turns in order, in requests of at most 500: if one is refused, the turns of earlier requests stay. A turn with
   * a `messageId` is added once, however often it is sent. Messages in the form of OpenAI, Anthropic, Gemini, LangChain
   * and the AI SDK are taken as they are.
   */
  async add(
    turns: AddTurnBody | ChatMessage | readonly (AddTurnBody | ChatMessage)[],
    options: CallOptions = {},
  ): Promise<void> {
    const id = await this.id(options);
    const all = [turns].flat() as AddTurnBody[];
    for (let i = 0; i < all.length; i += BATCH_MAX) {
      await this.#svc.addTurns({ id, turns: all.slice(i, i + BATCH_MAX) }, options);
    }
  }

  /** The context for an agent in this session: its last turns, and memories about the query. */
  async context(
    input: Omit<InputOf<"getSessionContext">, "id"> = {},
    options: CallOptions = {},
  ): Promise<OutputOf<"getSessionContext">> {
    return await this.#svc.getSessionContext({ ...input, id: await this.id(options) }, options);
  }

  /** Yields its turns, page by page. */
  async *turns(
    input: Omit<InputOf<"listTurns">, "id"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Turn, void, undefined> {
    yield* this.#lists.listTurns({ ...input, id: await this.id(options) }, options);
  }

  /** Ends the session and turns it into facts and an episode. */
  async collapse(
    input: Omit<InputOf<"collapseSession">, "id"> = {},
    options: CallOptions = {},
  ): Promise<OutputOf<"collapseSession">> {
    return await this.#svc.collapseSession({ ...input, id: await this.id(options) }, options);
  }
}

/** Waits for a value, at most until the signal is aborted. @throws the signal's reason */
async function unlessAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await value;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => abort = () => reject(signal.reason));
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Whether a session takes no more turns, because it is closed or full. A conflict with an existing turn lists errors; a
 * full session lists none.
 */
export function takesNoMore(error: unknown): boolean {
  if (!(error instanceof SvcError)) return false;
  return error.code === "invalid_transition" || (error.code === "conflict" && error.errors.length === 0);
}

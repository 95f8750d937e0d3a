/** How screens read and change: loading, pages, and changes with their faults shown. */
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { SvcError } from "../../../clients/typescript/mod.ts";
import { sayAdvice } from "../faults.ts";
import { isWriting, sayFault } from "../session.ts";
import { closeFaults, toast } from "./toast.tsx";

/** What became of reading something. `<Loaded>` shows it. */
export interface Load<T> {
  /** The last that was read; it stays while it is read again. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads again. */
  reload(): void;
}

/**
 * Reads when the screen opens, and again when one of `inputs` changes. Earlier answers that arrive late are dropped.
 * @param read undefined: there is nothing to read yet
 */
export function useLoad<T>(
  read: ((signal: AbortSignal) => Promise<T>) | undefined,
  inputs: readonly unknown[],
): Load<T> {
  const state = useSignal<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: read !== undefined });
  const round = useSignal(0);
  useEffect(() => {
    if (read === undefined) {
      state.value = { isLoading: false };
      return;
    }
    const gone = new AbortController();
    state.value = { ...state.peek(), error: undefined, isLoading: true };
    read(gone.signal).then(
      (data) => gone.signal.aborted || (state.value = { data, isLoading: false }),
      (error) => gone.signal.aborted || (state.value = { ...state.peek(), error, isLoading: false }),
    );
    return () => gone.abort();
  }, [...inputs, round.value]);
  const { data, error, isLoading } = state.value;
  return { data, error, isLoading, reload: () => void round.value++ };
}

/** A page of a list. */
interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** A list that is read page by page. */
export interface Pages<T> extends Load<readonly T[]> {
  /** Which list it is: another one begins at its first page. */
  readonly of: string;
  /** The pages that were read. */
  readonly pages: readonly (readonly T[])[];
  readonly hasMore: boolean;
  /** Reads the next page. */
  more(): Promise<void>;
}

/**
 * Reads the first page when the screen opens or one of `inputs` changes, and further ones on request. Reading again reads
 * as many as before, so that the person stays where they are.
 */
export function usePages<T>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  inputs: readonly unknown[],
): Pages<T> {
  const of = JSON.stringify(inputs);
  const wanted = useRef({ of, count: 1 });
  if (wanted.current.of !== of) wanted.current = { of, count: 1 };
  const load = useLoad((signal) => readMany(read, wanted.current.count, signal), inputs);
  const further = useSignal<{ readonly after: readonly Page<T>[]; readonly pages: readonly Page<T>[] } | undefined>(
    undefined,
  );
  const isLoadingMore = useSignal(false);
  const latest = useRef(load.data);
  latest.current = load.data;
  const pages = [...load.data ?? [], ...further.value?.after === load.data ? further.value?.pages ?? [] : []];
  const cursor = pages.at(-1)?.nextCursor ?? null;
  const more = async () => {
    if (cursor === null || isLoadingMore.value || load.data === undefined) return;
    isLoadingMore.value = true;
    const after = load.data;
    try {
      const page = await read(cursor, new AbortController().signal);
      // The list may have been read again meanwhile.
      if (latest.current !== after) return;
      further.value = { after, pages: [...pages.slice(after.length), page] };
      wanted.current.count = pages.length + 1;
    } catch (error) {
      toast(sayAll(error), { tone: "bad" });
    } finally {
      isLoadingMore.value = false;
    }
  };
  return {
    ...load,
    of,
    pages: pages.map(({ data }) => data),
    data: load.data && pages.flatMap(({ data }) => data),
    isLoading: load.isLoading || isLoadingMore.value,
    hasMore: cursor !== null,
    more,
  };
}

async function readMany<T>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  count: number,
  signal: AbortSignal,
): Promise<readonly Page<T>[]> {
  const pages = [await read(undefined, signal)];
  for (let last = pages[0]!; pages.length < count && last.nextCursor !== null;) {
    pages.push(last = await read(last.nextCursor, signal));
  }
  return pages;
}

/** The texts in the fields of a filter. They follow the address, as after a link or the browser's back. */
export function useTyped<T extends Readonly<Record<string, string>>>(given: T): Signal<T> {
  const typed = useSignal(given);
  useEffect(() => void (typed.value = given), Object.values(given));
  return typed;
}

/** A fault with what to do about it, for a message that passes. */
function sayAll(error: unknown): string {
  // Where changes are not allowed at present, the message itself says what to do, and another key is no help.
  const isShut = error instanceof SvcError && error.code === "insufficient_scope" && !isWriting.peek();
  const [fault, advice] = [sayFault(error), isShut ? undefined : sayAdvice(error)];
  return advice === undefined ? fault : `${fault.replace(/\.?$/, ".")} ${advice}`;
}

/** A field's message as a sentence: it goes on from the name of the field. */
function sentenceOf(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1).replace(/\.?$/, ".")}`;
}

/** Runs a change and says when it is done; resolves to whether it was. */
type Run = (work: () => Promise<unknown>, done?: string) => Promise<boolean>;
/** What was refused about a field of the form, by its path in the request's body: "Must not be empty.". */
type FaultOf = (path: string) => string | undefined;

/**
 * Runs one change at a time. Returns the runner, whether a change runs, and the faults of fields: the page shows a
 * refusal at the fields that it names, and becomes a toast if the form does not ask for the faults of one of them.
 */
export function useAction(): readonly [Run, boolean, FaultOf] {
  const isBusy = useSignal(false);
  const refused = useSignal<ReadonlyMap<string, string>>(new Map());
  const asked = useRef(new Set<string>());
  asked.current.clear();
  const faultOf: FaultOf = (path) => {
    asked.current.add(path);
    return refused.value.get(path);
  };
  const run: Run = async (work, done) => {
    if (isBusy.value) return false;
    isBusy.value = true;
    refused.value = new Map();
    closeFaults();
    try {
      await work();
      if (done !== undefined) toast(done, { tone: "good" });
      return true;
    } catch (error) {
      const errors = error instanceof SvcError ? error.errors : [];
      refused.value = new Map(errors.map(({ path, message }) => [path, sentenceOf(message)]));
      const isAtFields = errors.length > 0 && errors.every(({ path }) => asked.current.has(path));
      if (!isAtFields) toast(sayAll(error), { tone: "bad" });
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  return [run, useComputed(() => isBusy.value).value, faultOf];
}

/**
 * What a source gives, and undefined for each time that it gives nothing for so long. The source is asked for the next
 * value only when the reader is. To be stopped from outside: a source that waits does not hear of the reader's end.
 */
export async function* orPause<T>(source: AsyncIterable<T>, pauseMs: number): AsyncGenerator<T | undefined> {
  const values = source[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<T>> | undefined;
  try {
    for (;;) {
      next ??= values.next();
      const pause = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => pause.resolve(undefined), pauseMs);
      let result: IteratorResult<T> | undefined;
      try {
        result = await Promise.race([next, pause.promise]);
      } finally {
        clearTimeout(timer);
      }
      if (result?.done) return;
      if (result !== undefined) next = undefined;
      yield result?.value;
    }
  } finally {
    next?.catch(() => {});
    values.return?.(undefined).catch(() => {});
  }
}

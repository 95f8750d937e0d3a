/**
 * Yields the values of a source, and undefined whenever it gives nothing for some time. It asks for the next value only
 * when the reader asks. It has to be stopped from outside: a waiting source does not learn that the reader has ended.
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

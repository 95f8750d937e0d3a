/** Long work in small pieces, between which whoever runs it may let others run. */
export type Pieces<Result> = Generator<void, Result, void>;

/** Does all pieces at once. */
export function doAll<Result>(pieces: Pieces<Result>): Result {
  for (;;) {
    const step = pieces.next();
    if (step.done) return step.value;
  }
}

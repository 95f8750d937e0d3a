/** Decides which failed test processes run again, and replaces their results. */
import type { FileOutcome } from "./_test_file.ts";

/** One failure may be chance. If there are more, nothing runs again. */
const RERUNS_MAX = 1;

/**
 * Runs failed files again, and replaces the results of those that now pass. The files of a process that broke off
 * already ran one by one: if each of them passed, nothing more is run.
 * @param outcomes of the whole run; changed
 * @param run runs files in a process, with nothing in parallel
 * @returns the first outcomes of the replaced results
 */
export async function rerunFailed(
  outcomes: FileOutcome[],
  run: (files: readonly string[]) => Promise<readonly FileOutcome[]>,
): Promise<FileOutcome[]> {
  const broken = outcomes.filter(({ files, failed, isWhole }) => files.length > 1 && failed > 0 && !isWhole);
  const red = outcomes.filter((outcome) => outcome.failed > 0 && !broken.includes(outcome));
  const isOf = (group: FileOutcome, { files: [first] }: FileOutcome) => group.files.includes(first!);
  const unexplained = broken.filter((group) => !red.some((outcome) => isOf(group, outcome)));
  if (red.length + unexplained.length > RERUNS_MAX) return [];
  const flaky: FileOutcome[] = [];
  for (const outcome of red) {
    const again = await run(outcome.files);
    if (again.length === 0 || again.some(({ failed }) => failed > 0)) continue;
    outcomes.splice(outcomes.indexOf(outcome), 1, ...again);
    flaky.push(outcome);
  }
  for (const group of broken) {
    if (outcomes.some((outcome) => outcome !== group && outcome.failed > 0 && isOf(group, outcome))) continue;
    outcomes.splice(outcomes.indexOf(group), 1);
    flaky.push(group);
  }
  return flaky;
}

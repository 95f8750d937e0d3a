/** Tells a person what an import came to, in a few lines. */
import type { ImportReply } from "../../schema/transfer.ts";

/** What the reports of both ways of importing have. */
export interface ImportOutcome extends Pick<ImportReply, "created" | "updated" | "unchanged" | "failed" | "kinds"> {
  readonly dryRun?: boolean | undefined;
  readonly files?: number;
  /** Whether a limit ended it, so that the files hold more. */
  readonly limited?: true;
  readonly withheld: Readonly<Record<string, number>>;
  readonly omitted: Readonly<Record<string, number>>;
  readonly errors: readonly { readonly file?: string; readonly line: number; readonly message: string }[];
  readonly errorsOmitted: number;
  readonly samples?: readonly { readonly kind: string; readonly text: string | null }[] | undefined;
}

const ERRORS_SHOWN = 5;
const SAMPLES_SHOWN = 10;
const SAMPLE_CHARS = 100;

/** The lines of the summary. */
export function summarise(outcome: ImportOutcome): string[] {
  const { dryRun, files, limited, created, updated, unchanged, failed, kinds, withheld, omitted } = outcome;
  const counts = [
    `${count(created)} new`,
    ...(updated > 0 ? [`${count(updated)} changed`] : []),
    `${count(unchanged)} known already`,
    ...(failed > 0 ? [`${count(failed)} refused`] : []),
  ];
  const from = files === undefined || files < 2 ? "" : ` from ${count(files)} files`;
  const perKind = Object.entries(kinds).map(([kind, { created, updated, unchanged }]) =>
    [kind, created + updated + unchanged] as const
  ).filter(([, number]) => number > 0).map(([kind, number]) => `${kind}: ${count(number)}`);
  return [
    `${dryRun ? "Would import" : "Imported"}${from}: ${counts.join(", ")}.`,
    ...(perKind.length > 0 ? [`  ${perKind.join(", ")}`] : []),
    ...listed("Left out", omitted),
    ...listed("Imported without", withheld),
    ...(limited ? ["Stopped at --limit: the files hold more."] : []),
    ...errorLines(outcome),
    ...sampleLines(outcome.samples ?? []),
  ];
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

function listed(title: string, counts: Readonly<Record<string, number>>): string[] {
  const parts = Object.entries(counts).map(([what, number]) => `${what} (${count(number)})`);
  return parts.length === 0 ? [] : [`${title}: ${parts.join(", ")}.`];
}

function errorLines({ errors, failed }: ImportOutcome): string[] {
  const shown = errors.slice(0, ERRORS_SHOWN).map(({ file, line, message }) =>
    `  ${file === undefined ? "" : `${file}, `}line ${line}: ${message}`
  );
  if (failed === 0 && shown.length === 0) return [];
  const more = Math.max(failed, errors.length) - shown.length;
  return ["Refused:", ...shown, ...(more > 0 ? [`  and ${count(more)} more; --json lists them`] : [])];
}

function sampleLines(samples: NonNullable<ImportOutcome["samples"]>): string[] {
  const shown = samples.slice(0, SAMPLES_SHOWN).flatMap(({ kind, text }) => {
    if (text === null) return [];
    const line = text.replaceAll(/\s+/g, " ").trim();
    return `  ${kind}: ${line.length > SAMPLE_CHARS ? `${line.slice(0, SAMPLE_CHARS - 1)}…` : line}`;
  });
  return shown.length === 0 ? [] : ["Such as:", ...shown];
}

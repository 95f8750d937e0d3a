/** The report of an import, built while its lines are written. */
import {
  type ExportHeader,
  IMPORT_ERRORS_MAX,
  type ImportCounts,
  type ImportFormat,
  type ImportReply,
} from "../../schema/transfer.ts";
import type { IdMap } from "./id_map.ts";
import type { AnyLineKind, LineOutcome, Refusal } from "./line_kind.ts";
import type { Samples } from "./samples.ts";

/** The origin of an import. */
export interface Reported {
  readonly format: ImportFormat;
  readonly header: ExportHeader | null;
  /** Whether the file has its end. */
  readonly complete: boolean;
  /** What was left out of the file on purpose, and how often. */
  readonly omitted?: Readonly<Record<string, number>>;
}

/** A line that its kind accepts. */
export interface Line {
  readonly no: number;
  readonly bytes: number;
  readonly kind: AnyLineKind;
  // deno-lint-ignore no-explicit-any
  readonly line: any;
}

/** A line that was refused. */
export interface Fault {
  readonly no: number;
  readonly kind: string | null;
  readonly id: string | null;
  readonly refusal: Refusal;
}

const NONE: ImportCounts = { created: 0, updated: 0, unchanged: 0, failed: 0 };

type Counts = { -readonly [Name in keyof ImportCounts]: ImportCounts[Name] };

export class Report {
  readonly #source: Reported;
  readonly #total: Counts = { ...NONE };
  readonly #kinds: Record<string, Counts> = {};
  readonly #withheld: Record<string, number> = {};
  readonly #errors: ImportReply["errors"] = [];
  readonly #samples: Samples | undefined;
  #lines = 0;
  #mapped = 0;

  constructor(source: Reported, samples?: Samples) {
    this.#source = source;
    this.#samples = samples;
  }

  add({ no, kind, line }: Line, outcome: LineOutcome, ids: IdMap): void {
    const id: string | undefined = line.id;
    if (typeof outcome === "object") return this.refuse({ no, kind: kind.kind, id: id ?? null, refusal: outcome });
    this.#count(kind.kind, outcome);
    this.#samples?.add({ no, kind: kind.kind, id: id === undefined ? null : ids.get(id), line, outcome });
    if (id !== undefined && ids.has(id)) this.#mapped++;
  }

  withhold(what: ReadonlySet<string> | undefined): void {
    for (const one of what ?? []) this.#withheld[one] = (this.#withheld[one] ?? 0) + 1;
  }

  refuse({ no, kind, id, refusal: { code, message } }: Fault): void {
    this.#count(kind, "failed");
    if (this.#errors.length < IMPORT_ERRORS_MAX) this.#errors.push({ line: no, kind, id, code, message });
  }

  done(): ImportReply {
    const { format, header, complete, omitted = {} } = this.#source;
    return {
      format,
      source: header && {
        instance: header.instance,
        workspace: header.workspace,
        exportedAt: header.exportedAt,
        asOf: header.asOf,
        clearance: header.clearance,
      },
      complete,
      lines: this.#lines,
      ...this.#total,
      mapped: this.#mapped,
      kinds: this.#kinds,
      withheld: this.#withheld,
      omitted: { ...omitted },
      errors: this.#errors.toSorted((a, b) => a.line - b.line),
      errorsOmitted: this.#total.failed - this.#errors.length,
      ...(this.#samples && { dryRun: true as const, samples: this.#samples.list() }),
    };
  }

  #count(kind: string | null, name: keyof ImportCounts): void {
    this.#lines++;
    this.#total[name]++;
    if (kind !== null) (this.#kinds[kind] ??= { ...NONE })[name]++;
  }
}

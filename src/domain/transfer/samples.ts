/** The lines that the report of a trial import shows. */
import {
  IMPORT_SAMPLE_CHARACTERS_MAX,
  IMPORT_SAMPLES_MAX,
  type ImportSample,
  type TransferKind,
} from "../../schema/transfer.ts";

interface AcceptedLine {
  readonly no: number;
  readonly kind: TransferKind;
  readonly id: string | null;
  readonly line: { readonly body?: unknown };
  readonly outcome: ImportSample["outcome"];
}

/** Members that hold a line's text, of the line itself or of a unit's body. */
const TEXTS = ["statement", "content", "title", "canonicalName", "name", "verb", "type"] as const;

export class Samples {
  readonly #byKind = new Map<TransferKind, ImportSample[]>();

  add({ no, kind, id, line, outcome }: AcceptedLine): void {
    const known = this.#byKind.get(kind) ?? [];
    this.#byKind.set(kind, known);
    if (known.length < IMPORT_SAMPLES_MAX) known.push({ line: no, kind, id, outcome, text: textOf(line) });
  }

  /** The first line of each kind, then the second of each, and so on; in the order of the file. */
  list(): ImportSample[] {
    const kinds = [...this.#byKind.values()];
    const inTurn = Array.from({ length: IMPORT_SAMPLES_MAX }, (_, i) => kinds.flatMap((own) => own[i] ?? [])).flat();
    return inTurn.slice(0, IMPORT_SAMPLES_MAX).sort((a, b) => a.line - b.line);
  }
}

function textOf({ body, ...line }: AcceptedLine["line"]): string | null {
  const members = { ...line, ...(typeof body === "object" ? body : undefined) } as Readonly<Record<string, unknown>>;
  for (const name of TEXTS) {
    const value = members[name];
    if (typeof value === "string" && value !== "") return value.slice(0, IMPORT_SAMPLE_CHARACTERS_MAX).toWellFormed();
  }
  return null;
}

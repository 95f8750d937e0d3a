/** Decides which of the turns that a caller adds are new. Pure. */
import { type FieldError, ServiceError } from "../../errors.ts";

/** The values in which two turns with one message id must agree: everything that was said, and the speaker. */
export interface SaidTurn {
  readonly role: string;
  readonly name?: string | null | undefined;
  readonly content: string;
  /** When a stored turn's content was erased. */
  readonly erasedAt?: Date | null | undefined;
}

export function isSameTurn(a: SaidTurn, b: SaidTurn): boolean {
  return a.role === b.role && (a.name ?? null) === (b.name ?? null) && a.content === b.content;
}

export type Resolution<Row> =
  | { readonly kind: "new" }
  /** The session holds it already. */
  | { readonly kind: "stored"; readonly row: Row }
  /** An earlier turn of the same request, at `index`. */
  | { readonly kind: "repeated"; readonly index: number };

/**
 * Tells new turns from repeated ones, for each input in order.
 * @param stored turns of the session by their message ids
 * @param pathOf the path of an input's message id in the request
 * @throws ServiceError `conflict` naming every input whose message id already belongs to another turn.
 */
export function resolveTurns<Row extends SaidTurn>(
  inputs: readonly (SaidTurn & { readonly messageId?: string | undefined })[],
  stored: ReadonlyMap<string, Row>,
  pathOf: (index: number) => string = (index) => `turns.${index}.messageId`,
): Resolution<Row>[] {
  const earlier = new Map<string, number>();
  const errors: FieldError[] = [];
  const resolutions = inputs.map((input, index): Resolution<Row> => {
    const { messageId } = input;
    if (messageId === undefined) return { kind: "new" };
    const row = stored.get(messageId);
    const at = earlier.get(messageId);
    const known: SaidTurn | undefined = row ?? (at === undefined ? undefined : inputs[at]);
    // What was erased does not come back, and the batch that brings it again is not refused.
    if (known !== undefined && !known.erasedAt && !isSameTurn(known, input)) {
      errors.push({ path: pathOf(index), message: "is the message id of another turn" });
    }
    if (row !== undefined) return { kind: "stored", row };
    if (at !== undefined) return { kind: "repeated", index: at };
    earlier.set(messageId, index);
    return { kind: "new" };
  });
  if (errors.length > 0) {
    throw new ServiceError("conflict", "Cannot add the turns: a messageId belongs to a turn with other content", {
      errors,
    });
  }
  return resolutions;
}

/** A version of an item on its way in: what its sender said, checked and analysed before anything is asked of the database. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type { ItemOutcome } from "../../schema/federation_ack.ts";
import type { ItemBody, ItemName, ItemType } from "../../schema/federation_item.ts";
import type { UnitType } from "../../schema/unit.ts";
import { type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { readRelationForm, readUnitForm, type SharedForm } from "./shared_form.ts";

/** An item that was opened; its signature, its seal and its hash hold, and its writer is who sent it. */
export interface IncomingItem {
  readonly type: ItemType;
  readonly isDeleted: boolean;
  readonly body: ItemBody;
  /** Lower-case hex. */
  readonly hash: string;
}

/** An item that may be received. */
export interface PreparedItem extends IncomingItem {
  /** Of what it says, where that is a text for recall. */
  readonly text: PreparedText | undefined;
  /** Why this build cannot store what it says. */
  readonly refusal: ServiceError | undefined;
  /** The database refuses what it says: it is not kept until later either. */
  readonly isUnstorable?: boolean;
}

/** What became of an item, as its sender is told. */
export interface ItemResult {
  readonly id: string;
  readonly instance: string;
  readonly version: number;
  readonly outcome: ItemOutcome;
  /** With `VERSION_JUMP_REJECTED`: the highest version that is known here. */
  readonly base?: number;
}

export function nameOf({ body: { origin } }: IncomingItem): ItemName {
  return origin;
}

/** Checks what items say against the schemas of their types, and analyses their texts. Without the database. */
export async function prepareItems(
  ctx: OperationContext,
  items: readonly IncomingItem[],
): Promise<PreparedItem[]> {
  const read = items.map(({ type, body: { unit } }) => readText({ type, unit }));
  const texts = await prepareTexts(
    ctx,
    read.flatMap((said, i) => {
      if (!("text" in said)) return [];
      const { type } = items[i]!;
      return [{ kind: type as UnitType, sensitivity: "internal" as const, text: said.text }];
    }),
  );
  let next = 0;
  return items.map((item, i) => {
    const said = read[i]!;
    return {
      ...item,
      text: "text" in said ? texts[next++] : undefined,
      refusal: "refusal" in said ? said.refusal : undefined,
    };
  });
}

/**
 * The text of what an item says, where it has one for recall; or why this build cannot read it. Which ids its references have
 * here does not matter yet.
 */
export function readText(
  { type, unit }: { readonly type: ItemType; readonly unit: SharedForm | null },
): { text: string } | { refusal: ServiceError } | object {
  if (unit === null) return {};
  try {
    const keepId = ({ id }: ItemName) => id;
    if (type === "relation") return (readRelationForm(unit, keepId), {});
    return { text: readUnitForm(type, unit, keepId).text };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
}

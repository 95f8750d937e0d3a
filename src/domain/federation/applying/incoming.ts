/** Checks and analyses incoming versions of items, before the database is used. */
import type { OperationContext } from "../../../context.ts";
import { ServiceError } from "../../../errors.ts";
import { Slices } from "../../../pause.ts";
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import type { ItemBody, ItemName, ItemType } from "../../../schema/federation_item.ts";
import type { UnitType } from "../../../schema/unit.ts";
import { prepareGist } from "../../kinds/facts/duplicates.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { type AuthoredColumns, readRelationForm, readUnitForm, type SharedForm } from "../register/shared_form.ts";

/** An opened item. Its signature, seal and hash hold, and its writer is the sender. */
export interface IncomingItem {
  readonly type: ItemType;
  readonly isDeleted: boolean;
  readonly body: ItemBody;
  /** In lower-case hex. */
  readonly hash: string;
}

/** An incoming item that was checked and analysed. */
export interface PreparedItem extends IncomingItem {
  /** The analysed text for recall; undefined if the item has none. */
  readonly text: PreparedText | undefined;
  /** The content of a unit, with the id that each reference has at its origin; undefined if the item has none. */
  readonly authored: AuthoredColumns | undefined;
  /** Why this build cannot store the item; undefined if it can. */
  readonly refusal: ServiceError | undefined;
  /** Whether the database refuses its values, so that it cannot be kept until later either. */
  readonly isUnstorable?: boolean;
}

export interface ItemResult {
  readonly id: string;
  readonly instance: string;
  readonly version: number;
  readonly outcome: ItemOutcome;
  /** What the peer is told instead of the outcome. */
  readonly told?: ItemOutcome | undefined;
  /** With `VERSION_JUMP_REJECTED`: the highest version that is known here. */
  readonly base?: number;
}

export function nameOf({ body: { origin } }: IncomingItem): ItemName {
  return origin;
}

/** Checks items against the schemas of their types and analyses their texts, without the database. */
export async function prepareItems(
  ctx: OperationContext,
  items: readonly IncomingItem[],
): Promise<PreparedItem[]> {
  const read: ReturnType<typeof readAuthored>[] = [];
  const slices = new Slices(ctx.signal);
  for (const { type, body: { unit } } of items) {
    await slices.yieldIfDue();
    read.push(readAuthored({ type, unit }));
  }
  const texts = await prepareTexts(
    ctx,
    read.flatMap((one, i) => {
      if (!("authored" in one)) return [];
      const { type } = items[i]!;
      return [{ kind: type as UnitType, sensitivity: "internal" as const, text: one.authored.text }];
    }),
  );
  let next = 0;
  const prepared: PreparedItem[] = [];
  for (const [i, item] of items.entries()) {
    await slices.yieldIfDue();
    const one = read[i]!;
    const text = "authored" in one ? texts[next++] : undefined;
    if (text !== undefined && item.type === "fact") prepareGist(text);
    prepared.push({
      ...item,
      text,
      authored: "authored" in one ? one.authored : undefined,
      refusal: "refusal" in one ? one.refusal : undefined,
    });
  }
  return prepared;
}

/**
 * Reads the content of a unit, which has a text for recall, or returns why this build cannot read the item. The ids that its
 * references have here do not matter yet.
 */
export function readAuthored(
  { type, unit }: { readonly type: ItemType; readonly unit: SharedForm | null },
): { authored: AuthoredColumns } | { refusal: ServiceError } | object {
  if (unit === null) return {};
  try {
    const keepId = ({ id }: ItemName) => id;
    if (type === "relation") return (readRelationForm(unit, keepId), {});
    return { authored: readUnitForm(type, unit, keepId) };
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
}

/** This instance's own entries of the register for its decisions. `publish.ts` makes those for what callers write. */
import type { VersionRow } from "../../../db/queries/federation_versions.ts";
import { leastSensitive } from "../../unit/trust.ts";
import type { KnownItem } from "../register/known_item.ts";
import type { VersionEntry } from "../decision/order.ts";
import { digestMembers } from "../register/own_version.ts";
import { takePlace } from "../register/publish.ts";
import type { AdoptingTransaction } from "./write_adopted_unit.ts";

/** Makes the row of an own version, at the next place in the order of publication. */
export async function ownVersion(
  { ctx, tx }: AdoptingTransaction,
  item: KnownItem,
  entry: VersionEntry,
): Promise<VersionRow> {
  const { name, type, row } = item;
  const before = item.versions.get(ctx.deps.config.instanceId);
  const shown = item.unit ?? item.relation;
  const sensitivity = shown?.sensitivity ?? before?.sensitivity ?? "internal";
  const { writer, version, updatedAt, hash, seen, affirms, isDeleted } = entry;
  return {
    origin: name,
    type,
    ...{ writer, version, updatedAt, hash, seen, affirms, isDeleted },
    isWithdrawn: false,
    sensitivity,
    leastSensitivity: leastSensitive(before?.leastSensitivity ?? sensitivity, sensitivity),
    ...await takePlace(tx),
    ...digestMembers({ origin: name, type, version, hash }),
    verdict: "own",
    unitId: row.unitId,
    unitVersion: shown?.version ?? null,
  };
}

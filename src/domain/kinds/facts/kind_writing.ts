/** Writes facts for code that works with all types alike. */
import type { CreateFactBody, UpdateFactBody } from "../../../schema/fact.ts";
import { keepExternalId } from "../../unit/external_id.ts";
import type { KindWriting } from "../kind_writing.ts";
import { prepareFacts } from "./claims.ts";
import { derivedColumns, type FactBody, type FactRow } from "./fields.ts";
import { contestIfRivalled } from "./judgement.ts";
import { reinstate } from "./lifecycle.ts";
import { namesOf } from "./lock_rivals.ts";
import { applyFactUpdate, prepareFactUpdate } from "./update.ts";
import { writeFacts } from "./write.ts";

export const FACT_WRITING: KindWriting = {
  async prepareAdds(ctx, bodies) {
    const prepared = await prepareFacts(ctx, bodies as readonly CreateFactBody[]);
    return prepared.map((item) => {
      if ("refusal" in item) return item;
      return {
        names: namesOf([item.said]),
        async add(ctx, tx, fill) {
          const [outcome] = await writeFacts(ctx, tx, [{ ...item, body: fill(item.body) }]);
          if ("refusal" in outcome!) throw outcome.refusal;
          const { row, isNew, versionBefore, conflict } = outcome!;
          const restated = isNew ? {} : { restated: { before: versionBefore, after: row.version } };
          return { id: row.id, conflict, ...restated };
        },
      };
    });
  },
  async prepareChange(ctx, patch, body) {
    const said = patch as UpdateFactBody;
    const prepared = await prepareFactUpdate(ctx, said);
    const next = body && patched(body as FactBody, said);
    return {
      names: next === undefined ? [] : namesOf([derivedColumns(next)]),
      ...(next && { body: next }),
      change(ctx, tx, id, fill, reason) {
        const filled = { ...fill(said), reason: said.reason ?? reason };
        return applyFactUpdate(ctx, tx, id, filled, { ifMatch: undefined, prepared });
      },
    };
  },
  retraction: { status: "retracted" },
  namesOf: (units) => namesOf(units as readonly FactRow[]),
  // The facts that contradict it may have changed, so its state is determined anew.
  restore: (tx, unit, _status, reason) => reinstate(tx, unit as FactRow, reason),
  bringBack(tx, unit, next, note) {
    const fact = next as FactRow;
    const kept = { ...fact, body: keepExternalId((unit as FactRow).body, fact.body) };
    return contestIfRivalled(tx, unit as FactRow, kept, note);
  },
};

/** The content of a fact after a patch, as far as it can be computed before the patch is applied. */
function patched(body: FactBody, patch: UpdateFactBody): FactBody {
  const given = Object.entries(patch).filter(([name, value]) => value !== undefined && name in body);
  return { ...body, ...Object.fromEntries(given) };
}

/** The dialog that puts one text in place of two that contradict each other. */
import type { KnowledgeUnit, ReviewItem } from "../../../../clients/typescript/mod.ts";
import { svc } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useDraft } from "../../ui/draft.ts";
import { Button, TextField } from "../../ui/form.tsx";
import { useAction, useLoad } from "../../ui/load.ts";
import { Loaded } from "../../ui/states.tsx";
import { textOf } from "../../ui/unit.tsx";
import { Words } from "../../ui/words.tsx";

export async function readSides({ subjectId, otherId }: ReviewItem, signal?: AbortSignal) {
  const ids = [subjectId, ...(otherId === null ? [] : [otherId])];
  const { data } = await svc.getUnits({ id: ids }, signal && { signal });
  const of = (id: string | null) => data.find((one) => one.id === id)?.unit ?? null;
  return { subject: of(subjectId), other: of(otherId) };
}

/** One text in place of two that contradict each other. */
export function Merge({ item, onClose, onDone }: {
  readonly item: ReviewItem;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const load = useLoad(() => readSides(item), [item.id]);
  const statement = useDraft<string | undefined>(`Merge ${item.id}`, undefined);
  const [run, isBusy, faultOf] = useAction();
  const shown = (unit: KnowledgeUnit | null | undefined) => unit == null ? "" : textOf(unit);
  const save = async () => {
    const merged = { statement: statement.value ?? shown(load.data?.subject) };
    const isDone = await run(() => svc.resolveReviewItem({ id: item.id, action: "merge", merged }), "Merged.");
    if (isDone) onClose(), onDone();
  };
  return (
    <Dialog title="Merge both into one" onClose={onClose}>
      <Loaded load={load} what="both sides">
        {({ subject, other }) => (
          <form class="stack" onSubmit={(event) => (event.preventDefault(), save())}>
            <p>
              <Badge>Known before</Badge> <Words text={shown(other)} />
            </p>
            <p>
              <Badge>New</Badge> <Words text={shown(subject)} />
            </p>
            <TextField
              label="What holds"
              rows={4}
              autofocus
              value={statement.value ?? shown(subject)}
              fault={faultOf("merged.statement")}
              onInput={(text) => statement.value = text}
            />
            <div class="row end">
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" kind="primary" busy={isBusy}>Merge</Button>
            </div>
          </form>
        )}
      </Loaded>
    </Dialog>
  );
}

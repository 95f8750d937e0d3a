/** A person changes what a fact says, when it held, or that it was ever true. */
import { useSignal } from "@preact/signals";
import type { Fact } from "../../../../clients/typescript/mod.ts";
import { svc } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Button, DateField, TextField } from "../../ui/form.tsx";
import { useAction } from "../../ui/load.ts";

export function Correct({ fact, onClose, onDone }: {
  readonly fact: Fact;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const draft = useSignal({
    statement: fact.statement,
    validFrom: fact.validFrom ?? "",
    validTo: fact.validTo ?? "",
    reason: "",
  });
  const [run, isBusy] = useAction();
  const set = (next: Partial<typeof draft.value>) => draft.value = { ...draft.value, ...next };
  const send = async (change: Parameters<typeof svc.updateFact>[0], done: string) => {
    const { reason } = draft.value;
    const isDone = await run(
      () => svc.updateFact({ ...change, ...(reason && { reason }) }, { ifMatch: `"${fact.version}"` }),
      done,
    );
    if (isDone) onClose(), onDone();
  };
  const save = () => {
    const { statement, validFrom, validTo } = draft.value;
    return send({
      id: fact.id,
      ...(statement !== fact.statement && { statement }),
      ...(validFrom !== (fact.validFrom ?? "") && { validFrom: validFrom || null }),
      ...(validTo !== (fact.validTo ?? "") && { validTo: validTo || null }),
    }, "Corrected.");
  };
  return (
    <Dialog title="Correct the fact" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), save())}>
        <TextField
          label="What it says"
          rows={4}
          value={draft.value.statement}
          onInput={(statement) => set({ statement })}
        />
        <DateField
          label="True since"
          hint="When it began to hold; empty: not known."
          value={draft.value.validFrom}
          onInput={(validFrom) => set({ validFrom })}
        />
        <DateField
          label="True until"
          hint="When it stopped holding; empty: it still holds."
          value={draft.value.validTo}
          onInput={(validTo) => set({ validTo })}
        />
        <TextField
          label="Why"
          hint="Kept in its history."
          value={draft.value.reason}
          onInput={(reason) => set({ reason })}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            busy={isBusy}
            onClick={() => send({ id: fact.id, status: "retracted" }, "Declared wrong.")}
          >
            It was never true
          </Button>
          <Button type="submit" kind="primary" busy={isBusy}>Save</Button>
        </div>
      </form>
    </Dialog>
  );
}

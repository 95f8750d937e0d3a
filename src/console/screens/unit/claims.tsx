/** What the service reads in a statement, and what a person says that it claims. */
import { useSignal } from "@preact/signals";
import type { Fact } from "../../../../clients/typescript/mod.ts";
import { can, isWriting, svc } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useDraft } from "../../ui/draft.ts";
import { Button, TextField } from "../../ui/form.tsx";
import { useAction } from "../../ui/load.ts";
import { sayClaim } from "../../ui/unit.tsx";
import { Words } from "../../ui/words.tsx";

/** What a fact speaks about; a given one takes the place of all that was read. */
interface Triple {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

export function Claims({ fact, reload }: { readonly fact: Fact; readonly reload: () => void }) {
  const { claims, subject, predicate, object } = fact;
  const isGiven = subject !== null || predicate !== null || object !== null;
  const corrected = useSignal<Triple | undefined>(undefined);
  const [run, isBusy, faultOf] = useAction();
  const save = async (change: Omit<Parameters<typeof svc.updateFact>[0], "id">, done: string) => {
    const options = { ifMatch: `"${fact.version}"` };
    const isDone = await run(
      () => svc.updateFact({ id: fact.id, ...change, reason: "claims corrected in the console" }, options),
      done,
    );
    if (isDone) corrected.value = undefined, reload();
  };
  const isOpen = can("memory:write") && isWriting.value;
  const correct = (triple: Triple) =>
    isOpen && <Button small onClick={() => corrected.value = triple}>Correct…</Button>;
  const given = { subject: subject ?? "", predicate: predicate ?? "", object: object ?? "" };
  return (
    <>
      <p class="hint">
        A claim is who, in what respect, which value. By its claims the service notices what contradicts the fact, and
        what takes its place.
      </p>
      {!isGiven && claims.length === 0 && <p>Nothing is read in it.</p>}
      <ul class="list">
        {isGiven && (
          <li class="row between card">
            <span>
              <Words text={`${given.subject} ${given.predicate} ${given.object}`} />{" "}
              <span class="quiet">(as its author says)</span>
            </span>
            {correct(given)}
          </li>
        )}
        {claims.map((claim) => (
          <li key={sayClaim(claim)} class="row between card">
            <span>
              <Words text={sayClaim(claim)} />{" "}
              <span class="quiet">(read by rules; {claim.respect}{claim.change && `, ${claim.change}`})</span>
            </span>
            {correct(claim)}
          </li>
        ))}
      </ul>
      {isOpen && (
        <div class="row section">
          {claims.length > 0 && (
            <Button
              small
              busy={isBusy}
              onClick={() => save({ claims: [] }, "It claims nothing now.")}
            >
              It claims nothing of this
            </Button>
          )}
          {claims.length === 0 && (
            <Button
              small
              busy={isBusy}
              onClick={() =>
                save({ subject: null, predicate: null, object: null, claims: null }, "The statement was read again.")}
            >
              Read the statement again
            </Button>
          )}
          {!isGiven && claims.length === 0 && correct(given)}
        </div>
      )}
      {corrected.value !== undefined && (
        <CorrectClaim
          given={corrected.value}
          isBusy={isBusy}
          faultOf={faultOf}
          onClose={() => corrected.value = undefined}
          onSave={(triple) => save({ ...triple }, "The claim is corrected.")}
        />
      )}
    </>
  );
}

/** A claim as the person says it. */
function CorrectClaim({ given, isBusy, faultOf, onClose, onSave }: {
  readonly given: Triple;
  readonly isBusy: boolean;
  readonly faultOf: ReturnType<typeof useAction>[2];
  readonly onClose: () => void;
  readonly onSave: (triple: Triple) => void;
}) {
  const { subject, predicate, object } = given;
  const draft = useDraft<Triple>(`Claim ${subject} ${predicate} ${object}`, { subject, predicate, object });
  const set = (next: Partial<Triple>) => draft.value = { ...draft.value, ...next };
  return (
    <Dialog title="Correct what it claims" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), onSave(draft.value))}>
        <p>What you say takes the place of everything that was read in the statement.</p>
        <TextField
          label="Who or what"
          value={draft.value.subject}
          fault={faultOf("subject")}
          onInput={(subject) => set({ subject })}
        />
        <TextField
          label="In what respect"
          value={draft.value.predicate}
          fault={faultOf("predicate")}
          onInput={(predicate) => set({ predicate })}
        />
        <TextField
          label="Which value"
          value={draft.value.object}
          fault={faultOf("object")}
          onInput={(object) => set({ object })}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Save</Button>
        </div>
      </form>
    </Dialog>
  );
}

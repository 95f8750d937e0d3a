/** A person says what holds now instead of a fact, or changes what it says, when it held, or that it was ever true. */
import { useSignal } from "@preact/signals";
import type { Fact } from "../../../../clients/typescript/mod.ts";
import { serviceTime, svc } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useDraft } from "../../ui/draft.ts";
import { Button, DateField, Radios, TextField } from "../../ui/form.tsx";
import { useAction } from "../../ui/load.ts";

interface CorrectProps {
  readonly fact: Fact;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const WAYS = [
  {
    value: "changed",
    label: "It has changed",
    hint: "A new fact takes its place; the old one stays true for its time.",
  },
  { value: "wrong", label: "It was wrong", hint: "The fact itself is put right, for all the time it speaks about." },
] as const;

export function Correct(props: CorrectProps) {
  const { fact, onClose } = props;
  const isInForce = fact.status === "active" || fact.status === "contested";
  const way = useSignal<typeof WAYS[number]["value"]>(isInForce ? "changed" : "wrong");
  const statement = useDraft("Correct", fact.statement);
  const action = useAction();
  const fields = { ...props, action, statement: statement.value };
  return (
    <Dialog title="Correct the fact" onClose={onClose}>
      <div class="stack">
        <Radios
          label="What is wrong with it?"
          options={WAYS}
          value={way.value}
          onChange={(to) => way.value = to}
        />
        <TextField
          label={way.value === "changed" ? "What holds now" : "What it says"}
          rows={4}
          value={statement.value}
          fault={action[2]("statement")}
          onInput={(text) => statement.value = text}
        />
        {way.value === "changed" ? <Replace {...fields} /> : <Revise {...fields} />}
      </div>
    </Dialog>
  );
}

interface FieldsProps extends CorrectProps {
  readonly action: ReturnType<typeof useAction>;
  readonly statement: string;
}

/** The confidence of who says something and does not say how sure they are. */
const CONFIDENCE = 0.8;

/** What a new fact takes over from the one that it replaces: all but what may differ now. */
function carriedOver({ subject, predicate, exclusive, factType, tags, sensitivity, pinned, confidence }: Fact) {
  return {
    ...(subject !== null && { subject }),
    ...(predicate !== null && { predicate }),
    ...(exclusive !== null && { exclusive }),
    ...{ factType, tags, sensitivity, pinned },
    // A person says so, and at least as surely: what is trusted less may not take its place.
    ...{ attribution: "user_stated" as const, confidence: Math.max(CONFIDENCE, confidence) },
  };
}

/** A new fact that holds from a day on; the old one stays true until then. */
function Replace({ fact, statement, action: [run, isBusy, faultOf], onClose, onDone }: FieldsProps) {
  const since = useDraft("Correct: since", serviceTime().toISOString()), object = useDraft("Correct: value", "");
  const faults = useSignal<{ statement?: string; since?: string }>({});
  const save = async () => {
    const isSame = statement.trim() === fact.statement.trim();
    const isEarly = fact.validFrom !== null && since.value !== "" && new Date(since.value) <= new Date(fact.validFrom);
    faults.value = {
      ...(isSame && { statement: "Say above what holds now: it is the same as before." }),
      ...(since.value === "" && { since: "Say since when it holds: until then the old one stays true." }),
      ...(isEarly && { since: "The old one began later than this. If it never held, it was wrong." }),
    };
    if (Object.keys(faults.value).length > 0) return;
    const isDone = await run(
      () =>
        svc.createFact({
          ...carriedOver(fact),
          ...(object.value.trim() !== "" && { object: object.value.trim() }),
          ...{ statement, validFrom: since.value, supersedes: fact.id },
        }),
      "Stored. The old one stays true for its time.",
    );
    if (isDone) onClose(), onDone();
  };
  return (
    <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), save())}>
      {faults.value.statement && <p class="fault" role="alert">{faults.value.statement}</p>}
      <DateField
        label="True since"
        hint="The old one was true until then."
        fault={faults.value.since ?? faultOf("validFrom")}
        value={since.value}
        onInput={(at) => since.value = at}
      />
      {(fact.subject !== null || fact.predicate !== null || fact.object !== null) && (
        <TextField
          label="Which value"
          hint={`Of “${fact.subject ?? ""} ${fact.predicate ?? ""}”, until now “${fact.object ?? ""}”; may stay empty.`}
          value={object.value}
          fault={faultOf("object")}
          onInput={(text) => object.value = text}
        />
      )}
      <div class="row end">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={isBusy}>Save</Button>
      </div>
    </form>
  );
}

/** The fact itself, put right. */
function Revise({ fact, statement, action: [run, isBusy, faultOf], onClose, onDone }: FieldsProps) {
  const asItIs = { validFrom: fact.validFrom ?? "", validTo: fact.validTo ?? "", reason: "" };
  const draft = useDraft("Correct: times", asItIs);
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
    const { validFrom, validTo } = draft.value;
    return send({
      id: fact.id,
      ...(statement !== fact.statement && { statement }),
      ...(validFrom !== (fact.validFrom ?? "") && { validFrom: validFrom || null }),
      ...(validTo !== (fact.validTo ?? "") && { validTo: validTo || null }),
    }, "Corrected.");
  };
  return (
    <form class="stack" onSubmit={(event) => (event.preventDefault(), save())}>
      <DateField
        label="True since"
        hint="When it began to hold; empty: not known."
        value={draft.value.validFrom}
        fault={faultOf("validFrom")}
        onInput={(validFrom) => set({ validFrom })}
      />
      <DateField
        label="True until"
        hint="When it stopped holding; empty: it still holds."
        value={draft.value.validTo}
        fault={faultOf("validTo")}
        onInput={(validTo) => set({ validTo })}
      />
      <TextField
        label="Why"
        hint="Kept in its history."
        value={draft.value.reason}
        fault={faultOf("reason")}
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
  );
}

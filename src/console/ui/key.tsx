/** Parts about keys that several screens have: what one may do, and its secret, which is shown once. */
import type { IssuedApiKey, Scope, Sensitivity } from "../../../clients/typescript/mod.ts";
import { CEILINGS, SCOPES, SETS, wordsOf } from "../keys.ts";
import { admin, can, me } from "../session.ts";
import { Check, Select } from "./form.tsx";
import { Name } from "./name.tsx";
import { Copy } from "./words.tsx";

/** Rights as a form holds them. */
export interface Rights {
  readonly set: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
}

export const AGENTS_RIGHTS: Rights = { set: "agent", scopes: SETS[0].scopes, maxSensitivity: "confidential" };

/** What a key may do, and how much it sees. A session of a workspace gives no more than it has. */
export function RightsFields({ value, onChange }: {
  readonly value: Rights;
  readonly onChange: (to: Rights) => void;
}) {
  const may = (scope: Scope) => admin.value !== null || can(scope);
  const sets = SETS.filter((set) => set.scopes.every(may));
  const choose = (id: string) =>
    onChange({ ...value, set: id, scopes: SETS.find((set) => set.id === id)?.scopes ?? value.scopes });
  const tick = (scope: Scope, on: boolean) =>
    onChange({
      ...value,
      scopes: SCOPES.map(([one]) => one).filter((s) => s === scope ? on : value.scopes.includes(s)),
    });
  const highest = CEILINGS.findIndex((one) =>
    one.value === (admin.value === null ? me.value!.maxSensitivity : "restricted")
  );
  return (
    <>
      <Select
        label="What it may do"
        options={[...sets.map(({ id, label }) => ({ value: id, label })), { value: "own", label: "As ticked below" }]}
        value={value.set}
        onChange={choose}
      />
      {value.set === "own"
        ? (
          <fieldset class="ticks">
            <legend class="unseen">What it may do</legend>
            {SCOPES.filter(([scope]) => may(scope)).map(([scope, words]) => (
              <Check
                key={scope}
                label={words}
                checked={value.scopes.includes(scope)}
                onChange={(on) => tick(scope, on)}
              />
            ))}
          </fieldset>
        )
        : <p class="hint">It may {wordsOf(value.scopes).join(", ")}.</p>}
      <Select
        label="Sees up to"
        hint="It sees nothing more sensitive."
        options={CEILINGS.slice(0, highest + 1)}
        value={value.maxSensitivity}
        onChange={(to) => onChange({ ...value, maxSensitivity: to as Sensitivity })}
      />
    </>
  );
}

/** A new secret, with the words that it is shown once. */
export function Secret({ of }: { readonly of: Pick<IssuedApiKey, "name" | "key"> }) {
  return (
    <>
      <p>
        The key of <Name of={of.name} />. It is shown only now: the service keeps no copy.
      </p>
      <pre tabIndex={0} class="secret">{of.key}</pre>
      <p>
        <Copy text={of.key} label="Copy the key" />
      </p>
    </>
  );
}

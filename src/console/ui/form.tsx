/** Buttons and fields, each with its label, its hint and its fault. */
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

export interface ButtonProps {
  readonly kind?: "primary" | "danger" | "plain";
  readonly type?: "button" | "submit";
  readonly small?: boolean;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly title?: string;
  readonly onClick?: (event: MouseEvent) => void;
  readonly children: ComponentChildren;
}

export function Button(
  { kind = "plain", type = "button", small, busy, disabled, title, onClick, children }: ButtonProps,
) {
  return (
    <button
      type={type}
      class={`button ${kind}${small ? " small" : ""}`}
      disabled={disabled}
      aria-busy={busy}
      title={title}
      onClick={(event) => busy || onClick?.(event)}
    >
      {children}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | undefined;
}

/** The frame of a field: its label above, hint and fault below; `children` gets the attributes of the control. */
function Field({ label, hint, fault, children }: FieldProps & {
  readonly children: (control: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => JSX.Element;
}) {
  const id = useId();
  const about = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(about && { "aria-describedby": about }), ...(fault && { "aria-invalid": true }) })}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
      {fault && <p class="fault" id={`${id}-fault`} role="alert">{fault}</p>}
    </div>
  );
}

type InputType = "text" | "search" | "password" | "number" | "datetime-local" | "date";

/** One function for all fields, so that a field takes the focus when it appears and never again. */
const takeFocus = (element: HTMLTextAreaElement | null) => element?.focus();

export function TextField({ label, hint, fault, value, onInput, rows, type = "text", ...rest }: FieldProps & {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly type?: InputType;
  /** More than one: a text of several lines. */
  readonly rows?: number;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly autofocus?: boolean;
  readonly min?: number | string;
  readonly max?: number | string;
}) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) =>
        rows === undefined
          ? (
            <input
              {...control}
              {...rest}
              type={type as "text"}
              value={value}
              onInput={(event) => onInput(event.currentTarget.value)}
            />
          )
          : (
            <textarea
              {...control}
              ref={rest.autofocus ? takeFocus : null}
              rows={rows}
              value={value}
              onInput={(event) => onInput(event.currentTarget.value)}
            />
          )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function Select({ label, hint, fault, options, value, onChange }: FieldProps & {
  readonly options: readonly Choice[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((one) => <option key={one.value} value={one.value}>{one.label}</option>)}
        </select>
      )}
    </Field>
  );
}

/** A choice of one way, each with what it means. */
export function Radios<T extends string>({ label, options, value, onChange }: {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string; readonly hint: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}) {
  const id = useId();
  return (
    <fieldset class="field radios">
      <legend>{label}</legend>
      {options.map((one) => (
        <div key={one.value} class="check">
          <input
            id={`${id}-${one.value}`}
            type="radio"
            name={id}
            checked={value === one.value}
            aria-describedby={`${id}-${one.value}-hint`}
            onChange={() => onChange(one.value)}
          />
          <span>
            <label for={`${id}-${one.value}`}>{one.label}</label>
            <p class="hint" id={`${id}-${one.value}-hint`}>{one.hint}</p>
          </span>
        </div>
      ))}
    </fieldset>
  );
}

/** A box to tick. */
export function Check({ label, checked, onChange }: {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} /> {label}
    </label>
  );
}

/** A date and time of the person's own clock, as ISO with its offset resolved; empty: none. */
export function DateField({ value, onInput, ...rest }: FieldProps & {
  readonly value: string;
  readonly onInput: (iso: string) => void;
}) {
  return (
    <TextField
      {...rest}
      type="datetime-local"
      value={value === "" ? "" : toLocal(value)}
      onInput={(text) => onInput(text === "" ? "" : new Date(text).toISOString())}
    />
  );
}

function toLocal(iso: string): string {
  const date = new Date(iso);
  // The address of a screen may hold anything.
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

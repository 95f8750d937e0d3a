/** A time on a scale from the first that is known to now. */
import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { DateField } from "./form.tsx";
import { When } from "./words.tsx";

const STEPS = 200;

export function TimeSlider({ label, hint, first, value, onChange }: {
  readonly label: string;
  readonly hint: string;
  /** Where the scale begins; undefined: it is not known, and only the exact time can be set. */
  readonly first: string | undefined;
  /** Empty: now. */
  readonly value: string;
  /** Called when the person lets go. */
  readonly onChange: (iso: string) => void;
}) {
  const id = useId();
  const shown = useSignal(value);
  useEffect(() => void (shown.value = value), [value]);
  const start = first === undefined ? NaN : Date.parse(first), length = Date.now() - start;
  const at = shown.value === "" ? STEPS : Math.round((Date.parse(shown.value) - start) / length * STEPS);
  const timeOf = (step: number) => step >= STEPS ? "" : new Date(start + length * step / STEPS).toISOString();
  return (
    <div class="time-slider">
      {length > 0 && (
        <div class="field">
          <label for={id}>
            {label}:{" "}
            {shown.value === "" || Number.isNaN(Date.parse(shown.value))
              ? "now"
              : <When at={shown.value} as="moment" />}
          </label>
          <input
            id={id}
            type="range"
            min={0}
            max={STEPS}
            value={at}
            aria-describedby={`${id}-hint`}
            aria-valuetext={shown.value === "" ? "now" : new Date(shown.value).toLocaleString("en-GB")}
            onInput={(event) => shown.value = timeOf(event.currentTarget.valueAsNumber)}
            onChange={(event) => onChange(timeOf(event.currentTarget.valueAsNumber))}
          />
          <p class="hint" id={`${id}-hint`}>{hint}</p>
        </div>
      )}
      <DateField label={length > 0 ? `${label}, exactly` : label} value={value} onInput={onChange} />
    </div>
  );
}

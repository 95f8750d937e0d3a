/** What a screen shows when there is nothing, not yet, or not at all; each says what to do. */
import type { ComponentChildren } from "preact";
import { SvcError } from "../../../clients/typescript/mod.ts";
import { mayTryAgain, sayAdvice } from "../faults.ts";
import { sayFault, SERVICE } from "../session.ts";
import type { Tone } from "./badge.tsx";
import { Button } from "./form.tsx";
import type { Load } from "./load.ts";

export function Loading({ what = "" }: { readonly what?: string }) {
  return <p class="loading" role="status">Loading {what}…</p>;
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <div>{children}</div>
    </div>
  );
}

export function Alert({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <div class={`alert ${tone}`} role={tone === "bad" ? "alert" : "status"}>{children}</div>;
}

/** What went wrong, and what to do about it. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const advice = sayAdvice(error), help = error instanceof SvcError ? error.help : undefined;
  return (
    <Alert tone={error instanceof SvcError && error.code === "insufficient_scope" ? "warn" : "bad"}>
      <p>{sayFault(error)}</p>
      {advice !== undefined && <p>{advice}</p>}
      <p class="row">
        {retry && mayTryAgain(error) && <Button small onClick={retry}>Try again</Button>}
        {help !== undefined && <a href={new URL(help, SERVICE).href} target="_blank" rel="noopener">What this means</a>}
      </p>
    </Alert>
  );
}

/** Shows what was loaded, or why it is not there. What was read before stays visible while it is read again. */
export function Loaded<T>({ load, what, children }: {
  readonly load: Load<T>;
  readonly what?: string;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, isLoading, reload } = load;
  return (
    <>
      {error !== undefined && <Failed error={error} retry={reload} />}
      {data !== undefined
        ? <div aria-busy={isLoading}>{children(data)}</div>
        : isLoading && <Loading {...(what && { what })} />}
    </>
  );
}

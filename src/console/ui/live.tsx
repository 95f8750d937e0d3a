/** What a screen shows as it happens. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { SvcError } from "../../../clients/typescript/mod.ts";
import { watchChanges } from "../session.ts";
import { Badge } from "./badge.tsx";

/** Changes that follow each other closely are shown together. */
const GATHER_MS = 400;
/** After this time the stream is asked for again, for example when the service was away. */
const AGAIN_MS = 5_000;

/** Follows the changes of the workspace; `round` grows when something has changed. */
export function useLive(): { readonly isOn: boolean; readonly round: number } {
  const isOn = useSignal(false);
  const round = useSignal(0);
  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async () => {
      // What was missed while the connection was away shows when it is there again.
      const tell = (isThere: boolean) => {
        if (isThere && !isOn.value) round.value++;
        isOn.value = isThere;
      };
      for await (const _ of watchChanges(gone.signal, tell)) {
        clearTimeout(timer);
        timer = setTimeout(() => round.value++, GATHER_MS);
      }
    };
    // Without a stream the screen shows what was there when it opened. The SDK gives up a first connection soon.
    const keepOn = async () => {
      const error: unknown = await follow().catch((error) => error);
      isOn.value = false;
      if (error instanceof SvcError && error.retryable && !gone.signal.aborted) timer = setTimeout(keepOn, AGAIN_MS);
    };
    keepOn();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, []);
  return { isOn: isOn.value, round: round.value };
}

/** Says whether the screen follows the changes. */
export function Live({ isOn }: { readonly isOn: boolean }) {
  return (
    <Badge tone={isOn ? "good" : "quiet"} title="The page shows changes as they happen while this is on">
      {isOn ? "live" : "not live"}
    </Badge>
  );
}

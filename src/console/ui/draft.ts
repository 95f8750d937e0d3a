/** What a person types into a dialog, which outlives the end of their session. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { keepDraft, takeDraft } from "../drafts.ts";
import { path } from "../router.ts";
import { session, whoIsIn } from "../session.ts";

/**
 * A signal that stays when the session ends under its dialog: whoever logs in again as the same one and opens the dialog
 * again on the same screen finds what they had typed. A dialog that was closed keeps nothing. Not for codes and secrets.
 * @param name what tells the dialog from others of its screen
 */
export function useDraft<T>(name: string, initial: T): Signal<T> {
  const who = useRef(whoIsIn()), key = useRef(`${path.peek()} ${name}`);
  const taken = useRef<{ readonly draft: unknown } | undefined>(undefined);
  taken.current ??= { draft: takeDraft(who.current, key.current) };
  const draft = useSignal(taken.current.draft === undefined ? initial : taken.current.draft as T);
  useEffect(() => () => {
    if (session.peek() === null) keepDraft(who.current, key.current, draft.peek());
  }, []);
  return draft;
}

/** What was typed into dialogs when the session ended under them; kept in this page until somebody logs in. */
import { signal } from "@preact/signals";

/** Drafts of one person, by the screen and the dialog. */
interface Kept {
  readonly who: string;
  readonly drafts: ReadonlyMap<string, unknown>;
}

const kept = signal<Kept | undefined>(undefined);

/** Whether something that was typed is kept. */
export function hasDrafts(): boolean {
  return kept.value !== undefined;
}

export function keepDraft(who: string, name: string, draft: unknown): void {
  const { drafts } = kept.peek()?.who === who ? kept.peek()! : { drafts: [] };
  kept.value = { who, drafts: new Map([...drafts, [name, draft]]) };
}

/** Takes a draft out; undefined: there is none. */
export function takeDraft(who: string, name: string): unknown {
  if (kept.peek()?.who !== who) return undefined;
  const rest = new Map(kept.peek()!.drafts), draft = rest.get(name);
  rest.delete(name);
  kept.value = rest.size === 0 ? undefined : { who, drafts: rest };
  return draft;
}

/** Forgets all drafts but those of one person; undefined: all. */
export function forgetDrafts(butOf?: string): void {
  if (kept.peek()?.who !== butOf) kept.value = undefined;
}

/** Dialogs: the browser's own, which keep the focus inside and close with Escape. */
import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { path } from "../router.ts";
import { isWriting, sayFault, session, setWriting } from "../session.ts";
import { Button } from "./form.tsx";
import { toast, Toasts } from "./toast.tsx";

const open = signal(0);

/** Whether a dialog covers the page. It then shows the messages: behind it nobody could close or hear them. */
export const hasDialog = computed(() => open.value > 0);

/** A dialog over the page, while it is rendered. */
export function Dialog({ title, onClose, children }: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current!.showModal();
    open.value++;
    return () => {
      open.value--;
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      {!isWriting.value && <Reopen />}
      <Toasts />
    </dialog>
  );
}

/** The time for changes may end while a dialog is open: what was typed stays, and they can be allowed from here. */
function Reopen() {
  const allow = () => setWriting(true).catch((error) => toast(sayFault(error), { tone: "bad" }));
  return (
    <p class="row hint">
      <span>Changes are no longer allowed.</span> <Button small onClick={allow}>Allow them again</Button>
    </p>
  );
}

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** The word on the button that agrees. */
  readonly action: string;
  readonly danger?: boolean;
  readonly answer: (yes: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks before something is done. Resolves to whether the person agrees. */
export function confirm(asked: Omit<Question, "answer">): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer(yes) {
        question.value = undefined;
        resolve(yes);
      },
    };
  });
}

/** Where `confirm` asks; once in the page. */
export function Confirmation() {
  const asked = question.value;
  const isOver = session.value === null, screen = path.value;
  // Whoever logs in next is not asked what the last person was about to do, nor is who goes back to another screen.
  useEffect(() => question.peek()?.answer(false), [isOver, screen]);
  if (asked === undefined || isOver) return null;
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <div>{asked.text}</div>
      <div class="row end">
        <Button onClick={() => asked.answer(false)}>Cancel</Button>
        <Button kind={asked.danger ? "danger" : "primary"} onClick={() => asked.answer(true)}>{asked.action}</Button>
      </div>
    </Dialog>
  );
}

/** Signing in by an issuer that the operator has configured; without any, nothing shows. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { callConsole, leaveTo, sayFault } from "./session.ts";
import { Button } from "./ui/form.tsx";
import { Alert } from "./ui/states.tsx";

interface Issuer {
  readonly name: string;
  readonly label: string;
}

export function SignIns() {
  const issuers = useSignal<readonly Issuer[]>([]);
  const busy = useSignal<string | undefined>(undefined);
  const fault = useSignal("");
  useEffect(() => {
    callConsole<{ data: Issuer[] }>("GET", "/sign-in").then(({ data }) => issuers.value = data, () => {});
  }, []);
  if (issuers.value.length === 0) return null;
  const signIn = async (issuer: string) => {
    busy.value = issuer;
    fault.value = "";
    try {
      leaveTo((await callConsole<{ location: string }>("POST", "/sign-in", { issuer })).location);
    } catch (error) {
      fault.value = sayFault(error);
      busy.value = undefined;
    }
  };
  return (
    <section class="card stack" aria-label="Sign in">
      {issuers.value.map(({ name, label }) => (
        <Button
          key={name}
          kind="primary"
          busy={busy.value === name}
          onClick={() => signIn(name)}
        >
          Sign in with {label}
        </Button>
      ))}
      {fault.value !== "" && <Alert tone="bad">{fault.value}</Alert>}
    </section>
  );
}

/** The login: a key once, which the browser does not keep. */
import { useSignal } from "@preact/signals";
import { farewell, login, sayFault } from "./session.ts";
import { Button, TextField } from "./ui/form.tsx";
import { Alert } from "./ui/states.tsx";

export function Login() {
  const key = useSignal("");
  const fault = useSignal("");
  const isBusy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = key.value.trim();
    fault.value = given === "" ? "Enter a key." : "";
    if (given === "") return;
    isBusy.value = true;
    try {
      await login({ key: given });
    } catch (error) {
      fault.value = sayFault(error);
    } finally {
      isBusy.value = false;
      key.value = "";
    }
  };
  return (
    <main class="login">
      <h1>Memory console</h1>
      {farewell.value && <Alert tone="info">{farewell.value}</Alert>}
      {isSecureContext
        ? (
          <form onSubmit={submit} class="card stack" noValidate>
            <p>
              Log in with the key of a workspace. The page forgets it at once; a session takes its place, which only
              reads until you allow changes.
            </p>
            <TextField
              label="Key"
              type="password"
              value={key.value}
              onInput={(text) => key.value = text}
              autocomplete="off"
              placeholder="svc_live_…"
              fault={fault.value}
              autofocus
            />
            <Button type="submit" kind="primary" busy={isBusy.value}>Log in</Button>
            <p class="quiet">
              No key? On the machine of the service, <code>svc key create</code>{" "}
              makes one, and its start prints a link that logs in once.
            </p>
          </form>
        )
        : (
          <Alert tone="warn">
            The console needs https here, because it would send a key over the network in the clear. On the machine of
            the service itself, open it under <code>127.0.0.1</code> or <code>localhost</code>.
          </Alert>
        )}
    </main>
  );
}

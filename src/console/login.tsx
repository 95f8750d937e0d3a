/** The login: a key once, which the browser does not keep; an admin's key also needs a one-time code. */
import { useSignal } from "@preact/signals";
import { hasDrafts } from "./drafts.ts";
import { farewell, login, sayFault } from "./session.ts";
import { SignIns } from "./sign_in.tsx";
import { Button, TextField } from "./ui/form.tsx";
import { Alert } from "./ui/states.tsx";

/** How the keys of admins begin. */
const ADMINS = /^\s*mk_admin_/;

export function Login() {
  const key = useSignal(""), totp = useSignal("");
  const fault = useSignal("");
  const isBusy = useSignal(false);
  const isAdmins = ADMINS.test(key.value);
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = key.value.trim();
    fault.value = given === "" ? "Enter a key." : isAdmins && totp.value.trim() === "" ? "Enter the code, too." : "";
    if (fault.value !== "") return;
    isBusy.value = true;
    try {
      await login({ key: given, ...(isAdmins && { totp: totp.value }) });
      key.value = "";
    } catch (error) {
      fault.value = sayFault(error);
      // Only a code may be mistyped and the rest be right.
      if (!isAdmins) key.value = "";
    } finally {
      isBusy.value = false;
      totp.value = "";
    }
  };
  return (
    <main class="login">
      <h1>Memory console</h1>
      {farewell.value && (
        <Alert tone="info">
          {farewell.value}
          {hasDrafts() && " What you had typed is kept until then: open the same dialog again."}
        </Alert>
      )}
      {isSecureContext && <SignIns />}
      {isSecureContext
        ? (
          <form onSubmit={submit} class="card stack" noValidate>
            <p>
              Log in with the key of a workspace, or as an admin. The page forgets it at once; a session takes its
              place, which only reads until you allow changes.
            </p>
            <TextField
              label="Key"
              type="password"
              value={key.value}
              onInput={(text) => key.value = text}
              autocomplete="off"
              placeholder="svc_live_…"
              fault={isAdmins ? "" : fault.value}
              autofocus
            />
            {isAdmins && (
              <TextField
                label="One-time code"
                hint="Six digits from your authenticator; each counts once."
                value={totp.value}
                onInput={(text) => totp.value = text}
                autocomplete="one-time-code"
              />
            )}
            {isAdmins && fault.value !== "" && <p class="fault" role="alert">{fault.value}</p>}
            <Button type="submit" kind="primary" busy={isBusy.value}>Log in</Button>
            <p class="quiet">
              No key? On the machine of the service, <code>svc key create</code>{" "}
              makes one, and its start prints a link that logs in once. Admins log in with a key that begins with{" "}
              <code>mk_admin_</code> and a one-time code.
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

/** A client asks for access: the person sees who asks for what, and decides. */
import { useSignal } from "@preact/signals";
import type { Sensitivity } from "../../../clients/typescript/mod.ts";
import { answerRequest, type Asked, type GrantRequest, readRequest } from "../grants.ts";
import { CEILINGS, wordsOf } from "../keys.ts";
import { type ScreenProps } from "../router.ts";
import { me } from "../session.ts";
import { Button, Radios, Select, TextField } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { Alert, Empty, Loaded } from "../ui/states.tsx";

export function Authorize(_: ScreenProps) {
  // As the client wrote it: what is in it twice is refused by the service.
  const query = location.hash.replace(/^[^?]*\??/, "");
  return (
    <>
      <h1>A client asks for access</h1>
      <Request asked={{ query }} />
    </>
  );
}

/** Whoever has a program without a browser types the code that it shows. */
export function Device({ query: { code = "" } }: ScreenProps) {
  const typed = useSignal(code), asked = useSignal("");
  return (
    <>
      <h1>A device asks for access</h1>
      {asked.value === ""
        ? (
          <form class="card stack" onSubmit={(event) => (event.preventDefault(), asked.value = typed.value.trim())}>
            <TextField
              label="Code"
              hint="Eight letters, as your own device shows them now. Nobody else ever needs you to type one."
              value={typed.value}
              onInput={(text) => typed.value = text}
              autocomplete="off"
            />
            <div class="row end">
              <Button type="submit" kind="primary">Continue</Button>
            </div>
          </form>
        )
        : <Request asked={{ code: asked.value }} />}
    </>
  );
}

function Request({ asked }: { readonly asked: Asked }) {
  const load = useLoad(() => readRequest(asked), [JSON.stringify(asked)]);
  return (
    <Loaded load={load} what="the request">
      {(request) =>
        request.scopes.length === 0
          ? (
            <Empty title="You have nothing to give">
              It asks for what your own key may not do. Log in with a key that may.
            </Empty>
          )
          : <Decide request={request} asked={asked} />}
    </Loaded>
  );
}

function Decide({ request: asked, asked: source }: { readonly request: GrantRequest; readonly asked: Asked }) {
  const reading = asked.scopes.filter((scope) => scope.endsWith(":read"));
  const isReaderOnly = reading.length === asked.scopes.length;
  const choice = useSignal<"read" | "all">(isReaderOnly ? "all" : reading.length > 0 ? "read" : "all");
  const ceilings = CEILINGS.slice(0, CEILINGS.findIndex(({ value }) => value === asked.maxSensitivity) + 1);
  const ceiling = useSignal<Sensitivity>(ceilings[Math.min(2, ceilings.length - 1)]!.value);
  const isDone = useSignal(false);
  const [run, isBusy] = useAction();
  const answer = (isAllowed: boolean) =>
    run(async () => {
      const scopes = choice.value === "read" ? reading : asked.scopes;
      const to = await answerRequest(source, isAllowed ? { scopes, maxSensitivity: ceiling.value } : undefined);
      isDone.value = true;
      if (to !== undefined) location.href = to;
    });
  if (isDone.value) {
    return <Alert tone="good">The answer is on its way to the client. You can close this page.</Alert>;
  }
  const everything = wordsOf(asked.scopes).join(", ");
  return (
    <form class="card stack" onSubmit={(event) => (event.preventDefault(), answer(true))}>
      <p>
        {asked.client === "" ? "A client without a name" : (
          <>
            “<Name of={asked.client} />”
          </>
        )} asks to use the memory <Name of={me.value!.workspace.name} />.{" "}
        {asked.redirectHost === null ? "The answer goes to the device that shows the code." : (
          <>
            The answer goes to{" "}
            <code>
              <Name of={asked.redirectHost} />
            </code>.
          </>
        )}
      </p>
      {asked.publisher === null
        ? (
          <Alert tone="warn">
            The name is what the client calls itself, and nobody vouches for it. Agree only if you have just asked it to
            connect, and know where the answer goes.
          </Alert>
        )
        : (
          <p>
            <code>
              <Name of={asked.publisher} />
            </code>{" "}
            publishes this client.
          </p>
        )}
      {isReaderOnly ? <p>It may {everything}.</p> : reading.length > 0 && (
        <Radios
          label="It may"
          value={choice.value}
          onChange={(to) => choice.value = to}
          options={[
            { value: "read", label: "read only", hint: wordsOf(reading).join(", ") },
            { value: "all", label: "read and write", hint: everything },
          ]}
        />
      )}
      {!isReaderOnly && reading.length === 0 && <p>It may {everything}.</p>}
      <Select
        label="It sees up to"
        options={ceilings}
        value={ceiling.value}
        onChange={(to) => ceiling.value = to as Sensitivity}
      />
      <p class="hint">
        It can never do more than you can now. You end it yourself under “Connected clients”.
      </p>
      <div class="row end">
        <Button onClick={() => answer(false)}>Deny</Button>
        <Button type="submit" kind="primary" busy={isBusy}>Allow</Button>
      </div>
    </form>
  );
}

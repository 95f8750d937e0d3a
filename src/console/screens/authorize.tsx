/** A client asks for access: the person sees who asks for what, and decides. */
import { useSignal } from "@preact/signals";
import type { Sensitivity } from "../../../clients/typescript/mod.ts";
import { answerRequest, type GrantRequest, readRequest } from "../grants.ts";
import { CEILINGS, wordsOf } from "../keys.ts";
import { type ScreenProps } from "../router.ts";
import { me } from "../session.ts";
import { Button, Radios, Select } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { Alert, Empty, Loaded } from "../ui/states.tsx";

export function Authorize(_: ScreenProps) {
  // As the client wrote it: what is in it twice is refused by the service.
  const query = location.hash.replace(/^[^?]*\??/, "");
  const load = useLoad(() => readRequest(query), [query]);
  return (
    <>
      <h1>A client asks for access</h1>
      <Loaded load={load} what="the request">
        {(asked) =>
          asked.scopes.length === 0
            ? (
              <Empty title="There is nothing that you could give">
                It asks for what your own key may not do. Log in with a key that may.
              </Empty>
            )
            : <Decide asked={asked} query={query} />}
      </Loaded>
    </>
  );
}

function Decide({ asked, query }: { readonly asked: GrantRequest; readonly query: string }) {
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
      const to = await answerRequest(query, isAllowed ? { scopes, maxSensitivity: ceiling.value } : undefined);
      isDone.value = true;
      location.href = to;
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
        )} asks to use the memory <Name of={me.value!.workspace.name} />. The answer goes to{" "}
        <code>
          <Name of={asked.redirectHost} />
        </code>
        .
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
        It can never do more than your own key, and ends with it. You end it yourself under “Connected clients”.
      </p>
      <div class="row end">
        <Button onClick={() => answer(false)}>Deny</Button>
        <Button type="submit" kind="primary" busy={isBusy}>Allow</Button>
      </div>
    </form>
  );
}

/// <reference lib="deno.worker" />
/** A thread of a bulk load: is told once where to store, then stores one chunk of sessions after another. */
import type { CorpusSession } from "./_corpus.ts";
import { type LoadTarget, openLoader } from "./_direct.ts";

type Message = { readonly target: LoadTarget } | { readonly chunk: readonly CorpusSession[] };

let loader: ReturnType<typeof openLoader> | undefined;

self.onmessage = async ({ data }: MessageEvent<Message>) => {
  if ("target" in data) loader = openLoader(data.target);
  else self.postMessage(await (await loader!)(data.chunk));
};

/// <reference lib="deno.worker" />
/** A thread of a bulk load: the first message names the target; then it stores one chunk of sessions at a time. */
import type { CorpusSession } from "./_corpus.ts";
import { type LoadTarget, openLoader } from "./_direct.ts";

type Message = { readonly target: LoadTarget } | { readonly chunk: readonly CorpusSession[] };

let loader: ReturnType<typeof openLoader> | undefined;

self.onmessage = async ({ data }: MessageEvent<Message>) => {
  if ("target" in data) loader = openLoader(data.target);
  else self.postMessage(await (await loader!)(data.chunk));
};

/** Endpoints of models: the operator's choice, but not trusted. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "redirects of an endpoint",
    file: "src/providers/openai_client.ts",
    defence: '        redirect: "manual",\n',
    instead: "",
    test: "src/providers/openai_embeddings_test.ts",
    filter: "",
  },
  {
    name: "length of an endpoint's reply",
    file: "src/providers/openai_client.ts",
    defence: "await readBounded(response, options.replyBytesMax)",
    instead: "await response.text()",
    test: "src/providers/openai_embeddings_test.ts",
    filter: "",
  },
  {
    name: "time of an endpoint",
    file: "src/providers/openai_client.ts",
    defence: "setTimeout(() => deadline.abort(), options.timeoutMs)",
    instead: "setTimeout(() => {}, options.timeoutMs)",
    test: "src/providers/openai_embeddings_test.ts",
    filter: "",
  },
];

/** What holds in front of several service processes. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "headers of the front's own",
    file: "src/front/head.ts",
    defence: "    if (name.startsWith(OWN_PREFIX)) throw",
    instead: "    if (name.startsWith(OWN_PREFIX) && name === OWN_PREFIX) throw",
    test: "src/front/head_test.ts",
    filter: "a head whose end or name is open",
  },
  {
    name: "a length beside chunks",
    file: "src/front/head.ts",
    defence: '    if (lengths !== undefined) throw new HeadFault(400, "it has a length and is in chunks");\n',
    instead: "",
    test: "src/front/head_test.ts",
    filter: "a head whose end or name is open",
  },
  {
    name: "a workspace on one worker",
    file: "src/front/placement.ts",
    defence: "    if (known !== undefined) return known;\n",
    instead: "    if (known === -1) return known;\n",
    test: "src/front/placement_test.ts",
    filter: "all keys of a workspace",
  },
  {
    name: "unknown keys by address",
    file: "src/front/placement.ts",
    defence: "crc32(peer.hostname) % this.#count",
    instead: "crc32(publicId) % this.#count",
    test: "src/front/placement_test.ts",
    filter: "what has no workspace's key",
  },
  {
    name: "workers end with the front",
    file: "src/cli/serve_worker.ts",
    defence: "  stopWithFront(service);\n",
    instead: "",
    test: "tests/fault/workers_test.ts",
    filter: "workers end by themselves",
  },
  {
    name: "the body of a refused request ends its connection",
    file: "src/front/connection.ts",
    defence: "      await this.#send(head, refusalOf(error, head), true);\n",
    instead: "      if (meter.isDone) return await this.#send(head, refusalOf(error, head));\n",
    test: "src/front/connection_test.ts",
    filter: "the body of a request that no worker takes",
  },
  {
    name: "a worker that cannot be started again just now",
    file: "src/front/worker_process.ts",
    defence: "      if (!this.#wasUp) throw error;\n",
    instead: "      if (!this.#wasUp || retryMs > 0) throw error;\n",
    test: "src/front/worker_process_test.ts",
    filter: "a worker that cannot be started again",
  },
  {
    name: "the end of a reply that nobody waits for",
    file: "src/cli/serve_worker.ts",
    defence: "    get completed() {\n      return info.completed;\n    },\n",
    instead: "    completed: info.completed,\n",
    test: "src/cli/serve_worker_test.ts",
    filter: "a caller who hangs up in the very moment of a streamed reply",
  },
];

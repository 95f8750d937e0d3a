import { equal, match } from "node:assert/strict";

Deno.test("svc serve refuses --workers with what to do instead, and does not begin to serve", async () => {
  for (const args of [["--workers", "2"], ["--workers=1"]]) {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        "--quiet",
        new URL("../../src/cli/main.ts", import.meta.url).pathname,
        "serve",
        ...args,
      ],
    }).output();
    equal(code, 1);
    equal(stdout.length, 0);
    match(new TextDecoder().decode(stderr), /^Cannot serve with --workers: .*one process.*deploy\/haproxy\.cfg.*\n$/);
  }
});

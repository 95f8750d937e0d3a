import { equal } from "node:assert/strict";
import { cliCommand, denoCommand } from "./deno_command.ts";

Deno.test("a Deno that npx fetched is called by npx, because its folder does not last", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["/home/a/.npm/_npx/1f8d3c/node_modules/deno/deno", "npx -y deno@2.9.6"],
    ["/home/a/.npm/_npx/1f8d3c/node_modules/@deno/linux-x64-glibc/deno", "npx -y deno@2.9.6"],
    ["C:\\Users\\a\\AppData\\Local\\npm-cache\\_npx\\1f8d\\node_modules\\deno\\deno.exe", "npx -y deno@2.9.6"],
    ["/home/a/.cache/pnpm/dlx/ab12/node_modules/deno/deno", "npx -y deno@2.9.6"],
    ["/tmp/dlx-4711/node_modules/deno/deno", "npx -y deno@2.9.6"],
    ["/tmp/bunx-1000-deno@2.9.6/node_modules/deno/deno", "npx -y deno@2.9.6"],
    ["/home/a/.deno/bin/deno", "</home/a/.deno/bin/deno>"],
    ["/home/a/project/node_modules/deno/deno", "</home/a/project/node_modules/deno/deno>"],
    ["/home/dlx/bin/deno.exe".replace("/dlx", "/dlxer"), "</home/dlxer/bin/deno.exe>"],
  ];
  for (const [program, expected] of cases) equal(denoCommand((path) => `<${path}>`, program, "2.9.6"), expected);
  equal(cliCommand("/usr/bin/deno"), "deno run -A src/cli/main.ts");
  equal(
    cliCommand("/home/a/.npm/_npx/1/node_modules/deno/deno"),
    `npx -y deno@${Deno.version.deno} run -A src/cli/main.ts`,
  );
});

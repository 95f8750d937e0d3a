/**
 * Makes `src/gen/svc/v1/svc_pb.ts` from `proto/`: `deno run -A scripts/gen/proto.ts [--check]`.
 *
 * buf and the generator come from npm, as locked; `buf.gen.yaml` says what is generated. With `--check` nothing is
 * written: it fails when the committed code is not what the definition makes, or when the definition breaks a rule of
 * `buf.yaml`.
 */
import { join } from "node:path";
import { LOCKED } from "../locked.ts";

const ROOT = join(import.meta.dirname!, "../..");
const OUT = join("src", "gen");
const FILE = join("svc", "v1", "svc_pb.ts");

async function buf(...args: string[]): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", ...LOCKED, "--quiet", "-A", "@bufbuild/buf", ...args],
    cwd: ROOT,
  });
  const { success, stdout, stderr } = await command.output();
  const text = new TextDecoder();
  if (!success) throw new Error(`buf ${args[0]}: ${text.decode(stdout)}${text.decode(stderr)}`);
}

if (Deno.args.includes("--check")) {
  await buf("lint");
  const folder = await Deno.makeTempDir({ prefix: "svc-proto-" });
  try {
    await buf("generate", "--output", folder);
    const [made, committed] = await Promise.all(
      [join(folder, OUT), join(ROOT, OUT)].map((at) => Deno.readTextFile(join(at, FILE))),
    );
    if (made !== committed) throw new Error(`${join(OUT, FILE)} is not up to date: run this without --check`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
} else {
  await buf("generate");
}

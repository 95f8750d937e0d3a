/** `svc audit`: dumps, verifies and publishes the audit log. `verify --dump` needs neither service nor database. */
import { type Command, InvalidArgumentError } from "commander";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Deps } from "../context.ts";
import type { AuditRecord } from "../crypto/audit_chain.ts";
import { readPublicKey } from "../crypto/ed25519.ts";
import { isSignedBy, readCheckpoint } from "../crypto/signed_note.ts";
import { forgetAddresses, getCheckpoint } from "../domain/audit/checkpoints.ts";
import { checkChain, readChain, toRecord } from "../domain/audit/log.ts";
import { type ChainCheck, ChainVerifier, type KnownHead } from "../domain/audit/verify.ts";
import { ServiceError } from "../errors.ts";
import { operatorIn, systemContext } from "./operator.ts";
import { parseLog } from "./parse.ts";
import type { CliParts } from "./parts.ts";
import { openProgress } from "./progress.ts";

interface VerifyOptions {
  readonly workspace?: string;
  readonly dump?: string;
  readonly checkpoint?: string;
  readonly publicKey?: string;
}

const WORKSPACE = "--workspace <id>";
const WORKSPACE_HELP = "id of the workspace; `system` for the service's own log";

export function addAuditCommands(
  cli: Command,
  { withDeps, print, say, openProgress, pathOf, endWith }: CliParts,
): void {
  const audit = cli.command("audit").description("dump and verify the audit log");
  const contextOf = async (deps: Deps, workspace: string) =>
    workspace === "system" ? systemContext(deps) : await operatorIn(deps, workspace);

  audit.command("dump").description("write a log as JSON lines, to archive it and for `verify --dump`")
    .requiredOption(WORKSPACE, WORKSPACE_HELP, parseLog)
    .action((options: { workspace: string }) =>
      withDeps(async (deps) => {
        const progress = await openProgress("dumped");
        for await (const { rows } of readChain(await contextOf(deps, options.workspace), 1)) {
          for (const row of rows) await say(JSON.stringify({ ...toRecord(row), hash: row.hash.toHex() }));
          progress.count(rows.length, "rows");
        }
        progress.end();
      })
    );

  audit.command("checkpoint").description("print a signed checkpoint; keep it where nobody can change it")
    .requiredOption(WORKSPACE, WORKSPACE_HELP, parseLog)
    .action((options: { workspace: string }) =>
      withDeps(async (deps) => await say((await getCheckpoint(await contextOf(deps, options.workspace))).note))
    );

  audit.command("verify").description("verify a log in the database or in a dump; exit with 1 if it is not intact")
    .option(WORKSPACE, WORKSPACE_HELP, parseLog)
    .option("--dump <file>", "a file of `svc audit dump` instead of the database")
    .option("--checkpoint <file>", "checkpoints that you kept: one note, or the service's checkpoint file")
    .option("--public-key <file>", "public key in PEM; refuse checkpoints that it did not sign")
    .action(async ({ checkpoint, publicKey, ...rest }: VerifyOptions) => {
      const options: VerifyOptions = {
        ...rest,
        ...(checkpoint !== undefined && { checkpoint: pathOf(checkpoint) }),
        ...(publicKey !== undefined && { publicKey: pathOf(publicKey) }),
      };
      if ((options.workspace === undefined) === (options.dump === undefined)) {
        throw new InvalidArgumentError("give either --workspace or --dump");
      }
      const report = (check: ChainCheck) => {
        print({ ...check, root: check.root?.toHex() ?? null });
        if (!check.ok) endWith(1);
      };
      if (options.dump !== undefined) return report(await verifyDump(options.dump, options));
      await withDeps(async (deps) => {
        const ctx = await contextOf(deps, options.workspace!);
        const heads = await readHeads(options, ctx.workspaceId);
        report(await checkChain(ctx, { heads }));
      });
    });

  audit.command("forget-addresses").description("delete callers' addresses; the chain stays valid")
    .requiredOption(WORKSPACE, WORKSPACE_HELP, parseLog)
    .requiredOption("--before <time>", "RFC 3339", parseTime)
    .action((options: { workspace: string; before: Date }) =>
      withDeps(async (deps) =>
        print({ forgotten: await forgetAddresses(await contextOf(deps, options.workspace), options.before) })
      )
    );
}

function parseTime(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError("not a time");
  return date;
}

/** Verifies a dump line by line. */
async function verifyDump(path: string, options: VerifyOptions): Promise<ChainCheck> {
  let verifier: ChainVerifier | undefined;
  const progress = openProgress("verified");
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (line === "") continue;
    progress.count(1, "rows");
    const { hash, ...record } = parseLine(line);
    verifier ??= new ChainVerifier(await readHeads(options, record.workspace_id), undefined);
    verifier.add(record, Uint8Array.fromHex(hash));
  }
  progress.end();
  verifier ??= new ChainVerifier(await readHeads(options, undefined), undefined);
  return verifier.finish(undefined);
}

function parseLine(line: string): AuditRecord & { readonly hash: string } {
  try {
    const row = JSON.parse(line);
    if (/^[0-9a-f]{64}$/.test(row.hash) && typeof row.workspace_id === "string") return row;
  } catch {
    // Reported below.
  }
  throw new ServiceError("validation_failed", "Cannot verify: a line of the dump is not a row of an audit log");
}

/** The heads in a file: one note, or JSON lines with notes. Notes of other logs are skipped. */
async function readHeads({ checkpoint, publicKey }: VerifyOptions, workspaceId?: string): Promise<KnownHead[]> {
  if (checkpoint === undefined) return [];
  const text = await Deno.readTextFile(checkpoint);
  const notes = text.startsWith("{") ? text.split("\n").filter(Boolean).map((line) => JSON.parse(line).note) : [text];
  const key = publicKey === undefined ? undefined : readPublicKey(await Deno.readTextFile(publicKey));
  return notes.flatMap((note: string) => {
    const head = readCheckpoint(note);
    if (head === undefined) {
      throw new ServiceError("validation_failed", "Cannot verify: the checkpoint is not a signed note");
    }
    if (workspaceId !== undefined && !head.origin.endsWith(`/${workspaceId}`)) return [];
    if (key !== undefined && !isSignedBy(note, key)) {
      throw new ServiceError(
        "validation_failed",
        "Cannot verify: the given key did not sign a checkpoint",
      );
    }
    return [head];
  });
}

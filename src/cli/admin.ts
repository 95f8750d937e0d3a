/** `svc admin`: manages the admins of the service. Only the command line can create them. */
import type { Command } from "commander";
import { renderUnicodeCompact } from "uqr";
import * as admins from "../domain/access/admin/admins.ts";
import type { CliParts } from "./parts.ts";
import { systemContext } from "./operator.ts";
import { parseCidrs, parseExpiry, parseId } from "./parse.ts";

export function addAdminCommands(cli: Command, { withDeps, print, say }: CliParts): void {
  const admin = cli.command("admin").description("create and disable admins of the service");
  const name = "--name <name>";
  admin.command("create").description("create an admin; a name can be used only once, ever")
    .requiredOption(name, "1 to 200 characters")
    .action((options: { name: string }) =>
      withDeps(async (deps) => print(await admins.createAdmin(systemContext(deps), options.name)))
    );
  admin.command("list").description("list all admins with their keys, without secrets")
    .action(() => withDeps(async (deps) => print(await admins.listAdmins(systemContext(deps)))));
  admin.command("enroll-totp").description("set up an admin's one-time codes; the secret is shown only once")
    .requiredOption(name)
    .action((options: { name: string }) =>
      withDeps(async (deps) => {
        const { uri } = await admins.enrollTotp(systemContext(deps), options.name);
        await say(`${uri}\n\n${renderUnicodeCompact(uri, { border: 2 })}`);
      })
    );
  admin.command("disable").description("disable an admin for good, with all keys, one-time codes and grants")
    .requiredOption(name)
    .action((options: { name: string }) =>
      withDeps(async (deps) => print({ disabled: await admins.disableAdmin(systemContext(deps), options.name) }))
    );

  const key = admin.command("key").description("create and revoke keys of admins, `mk_admin_…`");
  key.command("create").description("create a key of an admin; it is shown only once")
    .requiredOption("--admin <name>")
    .option(name, "what the key is for", "key")
    .option("--expires <time>", "RFC 3339", parseExpiry)
    .option("--cidrs <list>", "comma-separated address ranges from which the key may be used", parseCidrs)
    .action((options: { admin: string; name: string; expires?: Date; cidrs?: string[] }) =>
      withDeps(async (deps) => {
        const { expires: expiresAt, ...input } = options;
        const created = await admins.createAdminKey(systemContext(deps), { ...input, expiresAt });
        print({ ...created, note: "Keep the key: it is not stored and not shown again." });
      })
    );
  key.command("revoke").description("revoke a key of an admin; every process refuses it within a second")
    .argument("<keyId>", "id of the key", parseId)
    .action((keyId: string) =>
      withDeps(async (deps) => {
        await admins.revokeAdminKey(systemContext(deps), keyId);
        print({ revoked: keyId });
      })
    );
}

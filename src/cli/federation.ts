/** `svc federation`: pairs this service with other instances and shows the states of its peers. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { Deps, OperationContext } from "../context.ts";
import { createWorkspace } from "../domain/access/authorize.ts";
import { listWorkspaces } from "../domain/access/admin/workspaces.ts";
import { certificatePin } from "../crypto/certificate_pin.ts";
import { keyIdOf, publicKeyPem, readSigningKey } from "../crypto/ed25519.ts";
import { diagnosePeer } from "../domain/federation/exchange/diagnose.ts";
import {
  type InviteTerms,
  makeInvite,
  type OwnCertificates,
  requireIdentity,
} from "../domain/federation/peers/invites.ts";
import { joinByInvite } from "../domain/federation/peers/join.ts";
import { addPeer, approvePeer, pinNext, removePeer } from "../domain/federation/peers/manage_peers.ts";
import { showPeer, showPeers } from "../domain/federation/peers/show_peers.ts";
import { SENSITIVITIES } from "../schema/common.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import { CONFLICT_RESOLUTIONS, PEER_DIRECTIONS } from "../schema/federation_peer.ts";
import { AddPeerBody, type Peer } from "../schema/federation_peer_resource.ts";
import { parseJsonText } from "../schema/json_text.ts";
import { type Region, REGIONS } from "../schema/regions.ts";
import type { CliParts } from "./parts.ts";
import { parseCount } from "./parse_count.ts";
import { operatorIn, WORKSPACE } from "./operator.ts";
import { addExchangeCommands } from "./federation_exchange.ts";
import { parseEndpoint, parsePeer, parsePin } from "./parse.ts";

export function addFederationCommands(cli: Command, parts: CliParts): void {
  const federation = cli.command("federation").description("exchange knowledge with other instances");
  addSetupCommands(federation, parts);
  addPairingCommands(federation, parts);
  addExchangeCommands(federation, parts);
  addPeerCommands(federation.command("peers").description("list, add, approve, pin and remove peers"), parts);
}

function addSetupCommands(federation: Command, { print }: CliParts): void {
  federation.command("init")
    .description("print the lines that the environment of this service lacks for federation; they hold secrets")
    .requiredOption("--endpoint <url>", "where peers reach this service: https://…", parseEndpoint)
    .action(({ endpoint }: { endpoint: string }) => {
      for (const line of linesFor(endpoint, Deno.env.toObject())) console.log(line);
    });
  federation.command("keygen").description("print a new key pair and a new symmetric key")
    .action(() => {
      const privateKey = newPrivateKey();
      const { publicKey } = readSigningKey(privateKey);
      const keys = { privateKey, publicKey: publicKeyPem(publicKey), keyId: keyIdOf(publicKey) };
      print({ ...keys, symmetricKey: randomBytes(32).toString("base64") });
    });
}

function newPrivateKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string;
}

/**
 * Returns the lines for variables that are not set. A set one stays: units carry the instance's id, and peers know its
 * key.
 */
function linesFor(endpoint: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const lines: Record<string, string> = {
    SVC_INSTANCE_ID: `instance:${new URL(endpoint).host}`,
    SVC_FEDERATION_ENDPOINT: endpoint,
    // The key is written in one line: the service reads \n as a line break.
    SVC_FEDERATION_PRIVATE_KEY: newPrivateKey().trim().replaceAll("\n", "\\n"),
    SVC_FEDERATION_SYMMETRIC_KEY: randomBytes(32).toString("base64"),
    SVC_SECRETS_KEY: randomBytes(32).toString("hex"),
  };
  return Object.entries(lines).filter(([name]) => env[name] === undefined).map(([name, value]) => `${name}="${value}"`);
}

interface TermOptions {
  readonly workspace?: string;
  readonly maxSensitivity: InviteTerms["maxSensitivity"];
  readonly direction: InviteTerms["direction"];
  readonly conflictResolution: InviteTerms["conflictResolution"];
  readonly trustWeight?: number;
  readonly cert?: string;
  readonly clientCert?: string;
}

/** Adds the options by which this side sets the peer's entry and names its own certificates. */
function addTerms(command: Command): Command {
  return command
    .addOption(
      new Option("--max-sensitivity <level>", "the highest sensitivity that the peer may read").choices(SENSITIVITIES)
        .default(
          "internal",
        ),
    )
    .addOption(new Option("--direction <direction>").choices(PEER_DIRECTIONS).default("bidirectional"))
    .addOption(
      new Option("--conflict-resolution <policy>").choices(CONFLICT_RESOLUTIONS).default("manual"),
    )
    .option(
      "--trust-weight <weight>",
      "weight of the peer's vote, 0 to 100; without one it has none",
      parseCount(0, 100),
    )
    .option("--cert <file>", "certificate of this service's endpoint in PEM; default: the one that the endpoint shows")
    .option("--client-cert <file>", "certificate in PEM that this service presents as a client, if it is another one");
}

function termsOf({ maxSensitivity, direction, conflictResolution, trustWeight }: TermOptions): InviteTerms {
  return { maxSensitivity, direction, conflictResolution, trustWeight: trustWeight ?? null };
}

async function certificatesOf(
  ctx: OperationContext,
  { cert, clientCert }: TermOptions,
  pathOf: CliParts["pathOf"],
): Promise<OwnCertificates> {
  const { endpoint } = requireIdentity(ctx);
  return {
    certPin: cert === undefined
      ? (await ctx.deps.outbound.probe(endpoint, { anyPort: true })).pin
      : await pinOf(pathOf(cert)),
    clientCertPin: clientCert === undefined ? undefined : await pinOf(pathOf(clientCert)),
  };
}

async function pinOf(path: string): Promise<string> {
  const pin = certificatePin(await Deno.readTextFile(path));
  if (pin === undefined) throw new InvalidArgumentError(`${path} holds no certificate in PEM`);
  return pin;
}

function addPairingCommands(federation: Command, parts: CliParts): void {
  const { withDeps, print, say, remark, pathOf, endWith } = parts;
  addTerms(
    federation.command("invite").description(
      "print an invitation into a workspace; it holds secrets, works once and expires after a day",
    ).option(...WORKSPACE),
  ).action((options: TermOptions) =>
    withDeps(async (deps) => {
      const ctx = await operatorIn(deps, options.workspace);
      const { text, expiresAt } = await makeInvite(ctx, await certificatesOf(ctx, options, pathOf), termsOf(options));
      await say(text);
      remark(`Works once, until ${expiresAt.toISOString()}. Send it over a channel that nobody else reads.`);
    })
  );

  addTerms(
    federation.command("join <invitation>").description("accept an invitation: both sides store each other as peers")
      .option(...WORKSPACE)
      .option("--create-workspace <name>", "join with a new workspace of this name")
      .addOption(new Option("--region <region>", "region of the new workspace").choices(REGIONS).default(REGIONS[0])),
  ).action((invitation: string, options: TermOptions & { createWorkspace?: string; region: Region }) =>
    withDeps(async (deps) => {
      const ctx = await joiningContext(deps, options);
      const peer = await joinByInvite(ctx, invitation, await certificatesOf(ctx, options, pathOf), termsOf(options));
      print({ workspaceId: ctx.workspaceId, ...(peer && { peer: await showPeer(ctx, peer.id) }) });
      if (peer?.state !== "ACTIVE") endWith(1);
    })
  );

  federation.command("status").description("show the states of all peers; exit with 1 if one is not ACTIVE")
    .option("--json", "print everything that is known")
    .action(({ json = false }: { json?: boolean }) =>
      withDeps(async (deps) => {
        const peers = await allPeers(deps);
        if (json) print(peers);
        else for (const line of peers.map(lineOf)) await say(line);
        if (peers.some(({ state }) => state !== "ACTIVE")) endWith(1);
      })
    );

  federation.command("doctor").argument("<peer>", "id of the peer", parsePeer)
    .description("try each step towards a peer and say what to do; exit with 1 if one fails")
    .option(...WORKSPACE)
    .action((id: string, { workspace }: { workspace?: string }) =>
      withDeps(async (deps) => {
        const steps = await diagnosePeer(await operatorIn(deps, workspace), id);
        for (const { name, isOk, isWarning, says } of steps) {
          await say(`${!isOk ? "FAILED" : isWarning ? "warns " : "ok    "}  ${name}: ${says}`);
        }
        if (steps.some(({ isOk }) => !isOk)) endWith(1);
      })
    );
}

async function joiningContext(
  deps: Deps,
  { workspace, createWorkspace: name, region }: { workspace?: string; createWorkspace?: string; region: Region },
): Promise<OperationContext> {
  if ((workspace === undefined) === (name === undefined)) {
    throw new InvalidArgumentError("give either --workspace or --create-workspace");
  }
  return await operatorIn(deps, workspace ?? await createWorkspace(deps, { name: name!, region }));
}

async function allPeers(deps: Deps): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const { workspaceId } of await listWorkspaces(deps)) {
    peers.push(...(await showPeers(await operatorIn(deps, workspaceId), "approved")).data);
  }
  return peers;
}

function lineOf(
  { id, state, stale, workspaces, levelAt, lagSeconds, counts, reconciliation, lastError }: Peer,
): string {
  const level = levelAt === null ? "never level" : `level ${Math.round(lagSeconds ?? 0)} s ago`;
  const words = [
    `${id}  ${workspaces[0]}`,
    stale ? `${state} (stale)` : state,
    level,
    `${counts["received"] ?? 0} received`,
    `${counts["sent"] ?? 0} sent`,
    ...(reconciliation === null ? [] : [reconciliation.equal ? "equal" : `${reconciliation.differences} differences`]),
    ...(lastError === null ? [] : [`${lastError.code}: ${lastError.message}`]),
  ];
  return words.join(", ");
}

function addPeerCommands(peers: Command, { withDeps, print, pathOf }: CliParts): void {
  const inWorkspace = (work: (ctx: OperationContext) => Promise<unknown>, workspace: string | undefined) =>
    withDeps(async (deps) => print(await work(await operatorIn(deps, workspace))));
  interface In {
    readonly workspace?: string;
  }
  const command = (name: string, description: string) =>
    peers.command(name).description(description).option(...WORKSPACE);
  const ofPeer = (name: string, description: string) =>
    command(name, description).argument("<peer>", "id of the peer", parsePeer);

  command("list", "list a workspace's peers, those that wait for approval as well")
    .action(({ workspace }: In) =>
      inWorkspace(async (ctx) => {
        const [approved, pending] = [await showPeers(ctx, "approved"), await showPeers(ctx, "pending")];
        return { data: [...approved.data, ...pending.data] };
      }, workspace)
    );
  ofPeer("show", "show a peer, without its secrets")
    .action((id: string, { workspace }: In) => inWorkspace((ctx) => showPeer(ctx, id), workspace));
  command("add", "add and approve a peer; the file holds its entry as JSON").argument("<file>")
    .action((file: string, { workspace }: In) =>
      inWorkspace(async (ctx) => {
        const { data, faults } = checkInput(AddPeerBody, parseJsonText(await Deno.readTextFile(pathOf(file))));
        if (faults) throw invalidInput(faults);
        return await addPeer(ctx, data);
      }, workspace)
    );
  ofPeer("approve", "approve a peer that waits for approval")
    .option("--pin <pin>", "pin of its certificate, sha256/<base64>", parsePin)
    .option("--signing-key <file>", "its public key in PEM")
    .action((id: string, { workspace, pin, signingKey }: In & { pin?: string; signingKey?: string }) =>
      inWorkspace(async (ctx) =>
        await approvePeer(ctx, id, {
          ...(pin !== undefined && { certPin: pin }),
          ...(signingKey !== undefined && { signingPublicKey: await Deno.readTextFile(pathOf(signingKey)) }),
        }), workspace)
    );
  ofPeer("pin", "set the pin of its next certificate; both pins are accepted for 72 hours")
    .requiredOption("--next <pin>", "sha256/<base64>", parsePin)
    .action((id: string, { workspace, next }: In & { next: string }) =>
      inWorkspace((ctx) => pinNext(ctx, id, next), workspace)
    );
  ofPeer("remove", "remove a peer; every process refuses it within a second, and the items received from it stay")
    .action((id: string, { workspace }: In) => inWorkspace((ctx) => removePeer(ctx, id), workspace));
  ofPeer("probe", "show the certificate that a peer's server presents, to compare before it is approved")
    .action((id: string, { workspace }: In) =>
      inWorkspace(async (ctx) => {
        const { endpoint } = await showPeer(ctx, id);
        return { endpoint, ...await ctx.deps.outbound.probe(endpoint, { anyPort: true }) };
      }, workspace)
    );
}

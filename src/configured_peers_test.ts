import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readConfig } from "./config.ts";
import { ServiceError } from "./errors.ts";

const pem = (key: KeyObject, type: "spki" | "pkcs8" = "spki") => key.export({ format: "pem", type }) as string;
const ed25519 = generateKeyPairSync("ed25519");
const WORKSPACE = "01990000-0000-7000-8000-00000000000a";
const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const ENTRY = { id: "instance:b.example", endpoint: "https://b.example", workspaces: [WORKSPACE] };

/** A public key in PEM whose point has this encoding. */
function pemOf(point: string): string {
  const der = Uint8Array.fromHex(`302a300506032b6570032100${point}`);
  return `-----BEGIN PUBLIC KEY-----\n${der.toBase64()}\n-----END PUBLIC KEY-----\n`;
}

function read(entries: unknown, env: Record<string, string> = {}) {
  const text = typeof entries === "string" ? entries : JSON.stringify(entries);
  return readConfig({ SVC_FEDERATION_PEERS: text, ...env });
}

function refusalOf(entries: unknown, env?: Record<string, string>): string {
  try {
    read(entries, env);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "validation_failed") return error.message;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(entries)}`);
}

Deno.test("entries of peers are read with their defaults, and their secrets are known for redaction", () => {
  const apiKey = `svc_live_${"a".repeat(61)}`;
  const there = "01990000-0000-7000-8000-00000000000b";
  const { federation, secrets } = read([{
    ...ENTRY,
    workspaces: [`${WORKSPACE}=${there}`],
    signingPublicKey: pem(ed25519.publicKey),
    symmetricKey: KEY,
    apiKey,
  }]);
  const [peer] = federation.peers;
  deepEqual(peer?.workspaces, [{ here: WORKSPACE, there }]);
  deepEqual(
    [peer?.direction, peer?.maxSensitivity, peer?.conflictResolution, peer?.trustWeight],
    ["bidirectional", "internal", "manual", undefined],
  );
  equal(peer?.signingKey?.length, 32);
  equal(peer?.symmetricKey?.toBase64(), KEY);
  ok(secrets.includes(KEY) && secrets.includes(apiKey));
});

Deno.test("T31 the configuration refuses a peer's entry by index and member, and never shows a value", () => {
  const secret = "c2VjcmV0LXRoYXQtbXVzdC1ub3QtYmUtc2hvd24=";
  const refused: readonly [Record<string, unknown>, string][] = [
    [{ certpin: secret }, "certpin unknown field"],
    [{ certPin: `sha256/${secret}` }, "certPin must be sha256/<base64 of 32 bytes>"],
    [{ certPin: "sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DB=" }, "certPin must be"],
    [
      { certPinNext: "sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DA=" },
      "certPinNext means nothing without certPin",
    ],
    [{ endpoint: "http://b.example" }, "endpoint must be an https URL"],
    [{ endpoint: "https://user:pass@b.example" }, "endpoint must be an https URL"],
    [{ endpoint: "https://b.example/" }, "endpoint must be an https URL"],
    [{ endpoint: "https://b.example?a=1" }, "endpoint must be an https URL"],
    [{ endpoint: "https://B.example" }, "endpoint must be an https URL"],
    [{ id: "b.example" }, "id must be instance:<host>"],
    [{ id: "instance:localhost" }, "id is this instance itself"],
    [{ workspaces: [] }, "workspaces"],
    [{ workspaces: [WORKSPACE.toUpperCase()] }, "workspaces.0 must be a workspace id"],
    [
      { workspaces: [WORKSPACE, `${WORKSPACE}=01990000-0000-7000-8000-00000000000b`] },
      "workspaces names a workspace twice",
    ],
    [{ symmetricKey: secret.slice(4) }, "symmetricKey must be base64 of 32 bytes"],
    [{ sealKey: "AAEC" }, "sealKey must be"],
    [{ apiKey: `mk_admin_${"a".repeat(61)}` }, "apiKey must be an API key"],
    [{ trustWeight: 101 }, "trustWeight"],
    [{ region: "mars" }, "region"],
    [{ conflictResolution: "mine" }, "conflictResolution"],
    [{ maxSensitivity: "secret" }, "maxSensitivity"],
  ];
  for (const [members, reason] of refused) {
    const message = refusalOf([{ ...ENTRY, id: "instance:a.example" }, { ...ENTRY, ...members }]);
    ok(message.includes(`SVC_FEDERATION_PEERS.1.${reason}`), message);
    ok(!message.includes(secret.slice(8, 30)) && !message.includes("pass@"), message);
  }
  ok(refusalOf([ENTRY, ENTRY]).includes("SVC_FEDERATION_PEERS.1.id appears twice"));
  for (const text of ["", " ", "{}", "null", `[${JSON.stringify(ENTRY)}`, `[{"id":"a","id":"b"}]`]) {
    if (text !== "") ok(refusalOf(text).includes("SVC_FEDERATION_PEERS"), text);
  }
});

Deno.test("T31 a key of a peer that is not a strict Ed25519 public key is refused when the configuration is read", () => {
  const weak = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    // The same points in encodings that are not the shortest.
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    // A point that is not of low order, and an encoding of y = 3 that is not the shortest.
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ];
  const others = [
    pem(generateKeyPairSync("x25519").publicKey),
    pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey),
    pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey),
    pem(ed25519.privateKey, "pkcs8"),
    "key",
  ];
  for (const key of [...weak.map(pemOf), ...others]) {
    const message = refusalOf([{ ...ENTRY, signingPublicKey: key }]);
    ok(message.includes("SVC_FEDERATION_PEERS.0.signingPublicKey "), message);
    ok(!message.includes(key.slice(30, 60) || "\0"), message);
    const next = { ...ENTRY, signingPublicKey: pem(ed25519.publicKey), signingPublicKeyNext: key };
    ok(refusalOf([next]).includes("SVC_FEDERATION_PEERS.0.signingPublicKeyNext "));
  }
});

Deno.test("with encryption required, a peer without both keys is refused", () => {
  const env = { SVC_FEDERATION_REQUIRE_CRYPTO: "on" };
  const message = refusalOf([ENTRY], env);
  ok(message.includes("0.signingPublicKey is required") && message.includes("0.symmetricKey is required"), message);
  read([{ ...ENTRY, signingPublicKey: pem(ed25519.publicKey), symmetricKey: KEY }], env);
});

Deno.test("peers are read from a file, or from the variable, and not from both", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, JSON.stringify([ENTRY]));
    equal(readConfig({ SVC_FEDERATION_PEERS_FILE: file }).federation.peers.length, 1);
    ok(refusalOf([ENTRY], { SVC_FEDERATION_PEERS_FILE: file }).includes("SVC_FEDERATION_PEERS_FILE is set beside"));
    await Deno.writeTextFile(file, JSON.stringify([{ ...ENTRY, extra: 1 }]));
    throws(() => readConfig({ SVC_FEDERATION_PEERS_FILE: file }), /SVC_FEDERATION_PEERS_FILE\.0\.extra unknown field/);
  } finally {
    await Deno.remove(file);
  }
  throws(() => readConfig({ SVC_FEDERATION_PEERS_FILE: file }), /a file that cannot be read/);
});

Deno.test("settings of discovery are refused when they name no valid DNS record, or no workspace to offer peers to", () => {
  const srv = "_svc-federation._tcp.example.com";
  const read = (env: Record<string, string>) => () => readConfig(env);
  throws(read({ SVC_FEDERATION_SRV: srv }), /SVC_FEDERATION_SRV_WORKSPACES is required/);
  throws(read({ SVC_FEDERATION_SRV_WORKSPACES: WORKSPACE }), /SVC_FEDERATION_SRV is required/);
  for (
    const name of ["svc._tcp.example.com", "_svc._udp.example.com", "_svc._tcp.localhost", "_svc._tcp.example.com."]
  ) {
    throws(read({ SVC_FEDERATION_SRV: name, SVC_FEDERATION_SRV_WORKSPACES: WORKSPACE }), /must be _service\._tcp/);
  }
  const { federation } = readConfig({
    SVC_FEDERATION_SRV: srv,
    SVC_FEDERATION_SRV_WORKSPACES: `${WORKSPACE}, ${WORKSPACE}`,
  });
  deepEqual(federation.srvWorkspaces, [WORKSPACE, WORKSPACE]);
});

/**
 * The text of an invitation, which one operator gives to another so that two instances become peers in one step. It
 * holds secrets and works once. A check at its end shows whether the text was cut or mistyped, before anybody is
 * called.
 *
 * ```
 * svcfed1. eyJ2Ijox…                        . 0x7Kd2
 * form     base64url of its canonical JSON    CRC-32 of everything before the last dot, in six base62 characters
 * ```
 */
import { z } from "zod";
import { API_KEY_REGEX, checkOf } from "../../../crypto/api_key.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { ServiceError } from "../../../errors.ts";
import { Id, Timestamp } from "../../../schema/common.ts";
import {
  CertificatePin,
  InstanceEndpoint,
  InstanceId,
  PublicKeyPem,
  SymmetricKey,
} from "../../../schema/federation_peer.ts";
import { parseJson } from "../../../schema/json_text.ts";
import { REGIONS } from "../../../schema/regions.ts";

const FORM = "svcfed1";
const TEXT_CHARS_MAX = 8_192;
const CHECK_CHARS = 6;
/** The content of an invitation. */
export const Invite = z.strictObject({
  v: z.literal(1),
  /** The id of the invitation. */
  invite: Id,
  /** The inviting instance. */
  id: InstanceId,
  endpoint: InstanceEndpoint,
  /** The workspace's id at the inviting instance. */
  workspace: Id,
  region: z.enum(REGIONS).nullable(),
  signingPublicKey: PublicKeyPem,
  certPin: CertificatePin,
  /** The pin of the inviting side's client certificate, if that is not its server's. */
  clientCertPin: CertificatePin.optional(),
  /** A key for these two instances alone: both sides seal and open with it. */
  symmetricKey: SymmetricKey,
  /** The API key that the joining side presents. */
  apiKey: z.string().regex(new RegExp(`^${API_KEY_REGEX}$`)),
  /** The joining side proves with it that it has this text. */
  secret: SymmetricKey,
  expiresAt: Timestamp,
});
export type Invite = z.infer<typeof Invite>;

/** Writes the text of an invitation. */
export function writeInvite(invite: Invite): string {
  const body = new TextEncoder().encode(canonicalJson(invite)).toBase64({ alphabet: "base64url", omitPadding: true });
  return `${FORM}.${body}.${checkOf(`${FORM}.${body}`)}`;
}

/**
 * Reads an invitation. White space, such as line breaks that mail programs add, is ignored.
 * @throws ServiceError `validation_failed` if it is cut, mistyped, of another form or expired; the message shows no
 * part of it
 */
export function readInvite(text: string, now: Date): Invite {
  const plain = text.replace(/\s+/g, "");
  const parts = plain.split(".");
  if (plain.length > TEXT_CHARS_MAX || parts.length !== 3 || parts[0] !== FORM) {
    throw refuse(`it does not have the form ${FORM}.….…`);
  }
  const [form, body, check] = parts;
  if (check.length !== CHECK_CHARS || checkOf(`${form}.${body}`) !== check) throw refuse("it was cut or mistyped");
  const invite = Invite.safeParse(readBody(body));
  if (!invite.success) {
    throw refuse(`its member ${invite.error.issues[0].path.join(".") || "list"} is not what this build expects`);
  }
  if (Date.parse(invite.data.expiresAt) <= now.getTime()) throw refuse(`it expired at ${invite.data.expiresAt}`);
  return invite.data;
}

function readBody(body: string): unknown {
  try {
    return parseJson(Uint8Array.fromBase64(body, { alphabet: "base64url" }));
  } catch {
    return undefined;
  }
}

function refuse(reason: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot read the invite: ${reason}`);
}

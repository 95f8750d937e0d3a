/**
 * Removes secrets from text that leaves through logs, spans or error texts.
 *
 * Two nets: known secrets (the configured passwords and tokens, matched literally) and shapes (keys of the service,
 * PEM blocks, bearer values, tokens, credentials in URLs and `password=` pairs). Shapes are read from values that are
 * already cut to `REDACT_CHARS_MAX`, and every repetition in them is bounded, so a hostile text costs little.
 */

/** The longest text that is searched; the rest is cut before any pattern runs. */
export const REDACT_CHARS_MAX = 8_192;

const MARK = "[redacted]";

/** Words that make a text worth the full set of patterns. A text without any of them is returned as it is. */
const SUSPECT =
  /svc_live_|mk_admin_|mk_broker_|-----BEGIN|:\/\/|eyJ|\bsk-|bearer|basic|passw|pwd|secret|token|apikey|api_key|api-key|authorization|signature|[?&;][\w-]{0,40}=/i;

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g, "[redacted pem]"],
  [/svc_live_[\w.~+/=-]+/gi, `svc_live_${MARK}`],
  [/mk_admin_[\w.~+/=-]+/gi, `mk_admin_${MARK}`],
  [/mk_broker_[\w.~+/=-]+/gi, `mk_broker_${MARK}`],
  [/eyJ[\w-]{5,1024}\.[\w-]{2,}(?:\.[\w-]*){0,3}/g, "[redacted jwt]"],
  [/\bsk-[\w-]{16,}/g, MARK],
  [/\b(bearer|basic)(\s+|%20)[\w.~+/=-]{8,}/gi, `$1 ${MARK}`],
  // Everything up to the last @ is taken: a password may itself hold "@" or "/". A cut URL ends without its "@".
  // Module paths have no user, but scopes such as "@opentelemetry/api", which stack frames need.
  [/\b(?!file:|npm:)([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>]{0,1024}@/gi, `$1${MARK}@`],
  [/\b((?:postgres(?:ql)?|rediss?):\/\/)[^\s"'<>/@]{1,1024}:[^\s"'<>/@]{1,1024}$/gi, `$1${MARK}`],
  [
    /([?&;#][\w.-]{0,40}(?:token|key|secret|passw|signature|sig|auth|code|otp)[\w.-]{0,40}=)[^&;\s"'<>]+/gi,
    `$1${MARK}`,
  ],
  [
    /\b((?:[\w-]{0,40}[_-])?(?:password|passwd|pwd|secret|api[_-]?key|authorization|access[_-]?token|auth[_-]?token|pgpassword)["']?\s{0,4}[=:]\s{0,4}["']?)[^\s"',;&}]+/gi,
    `$1${MARK}`,
  ],
];

/** Field names whose text is never shown. Compared without case, "-" and "_". */
const SECRET_NAME =
  /(?:password|passwd|secret|token|apikey|accesskey|secretkey|privatekey|symmetrickey|signingkey|authorization|cookie|totp|otp|pem|credentials?|xsvcclientcert)$/;

export type Redact = (text: string) => string;

/** Whether a field of this name is replaced as a whole. Numbers (such as `tokens: 12`) are never replaced. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_.\s]/g, ""));
}

/**
 * Builds the function that removes secrets from a text.
 * @param secrets configured secrets, replaced wherever they occur; those under 8 characters are left out, because they
 * would also match ordinary words.
 */
export function createRedact(secrets: readonly (string | undefined)[] = []): Redact {
  const known = [...new Set(secrets.flatMap(spellings))].sort((a, b) => b.length - a.length);
  return (text) => {
    let shown = text.length > REDACT_CHARS_MAX ? text.slice(0, REDACT_CHARS_MAX) : text;
    for (const secret of known) shown = shown.replaceAll(secret, MARK);
    if (!SUSPECT.test(shown)) return shown;
    for (const [shape, replacement] of SHAPES) shown = shown.replace(shape, replacement);
    return shown;
  };
}

/** A secret in plain form and in the form inside a URL. */
function spellings(secret: string | undefined): string[] {
  return secret === undefined || secret.length < 8 ? [] : [secret, encodeURIComponent(secret)];
}

/** The redaction for texts that carry no configured secret. */
export const redactShapes: Redact = createRedact();

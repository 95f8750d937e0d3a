/** Where codes may be sent. RFC 6749 §3.1.2, RFC 8252, RFC 9700 §4.1. */
import { LOOPBACK } from "../public_address.ts";

const CHARS_MAX = 2_000;
/**
 * Schemes with which a browser runs something, shows a file, or sends the code in the clear, and those by which a system opens
 * what is no client of OAuth: settings, files of other machines, mail, calls.
 */
const REFUSED =
  /^(?:javascript|data|vbscript|file|blob|filesystem|about|view-source|intent|ftp|ws|wss|http|ms-.*|search|search-ms|smb|nfs|ldaps?|ssh|telnet|mailto|tel|sms):$/;

/**
 * Whether a client may have its codes sent to an address: https, http on the person's own machine, or the scheme of an
 * installed program. It has no fragment and no password, and is written as a browser reads it, so that a person sees the
 * host that gets the code.
 */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= CHARS_MAX && /^[!-~]+$/.test(text) && !/[\\#]/.test(text) ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:" || isLoopback(url)) return url.href === text || url.href === `${text}/`;
  return !REFUSED.test(url.protocol) && url.href === text;
}

/**
 * The address of a request, if the client has registered it: the same text, except for the port of a program on the
 * person's own machine, which listens where it can (RFC 8252 §7.3).
 */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (!isRedirectUri(asked)) return false;
  return registered.includes(asked) || registered.some((one) => {
    const [own, other] = [URL.parse(one), URL.parse(asked)];
    return own !== null && other !== null && isLoopback(own) && isLoopback(other) &&
      withoutPort(own) === withoutPort(other);
  });
}

/** What a person is shown of where the code goes: the host, or the scheme of a program. */
export function hostOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol;
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && LOOPBACK.has(hostname);
}

function withoutPort(url: URL): string {
  return `${url.hostname}${url.pathname}${url.search}`;
}

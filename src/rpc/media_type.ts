/** A media type with its parameters, in the form of RFC 9110 (8.3.1, 5.6.6). */
export interface MediaType {
  /** Type and subtype in lower case, such as `application/json`. */
  readonly essence: string;
  /** Values by name in lower case, without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const ESSENCE = /^[ \t]*([!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+)/;
/** A semicolon may stand without a parameter. */
const PARAMETER =
  // deno-lint-ignore no-control-regex
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t -~])*)"))?/y;

/** The header is parsed before authentication, so a longer one is refused unparsed. */
const CHARS_MAX = 200;

/** Undefined for a text that is no media type, or too long for one. */
export function readMediaType(text: string): MediaType | undefined {
  if (text.length > CHARS_MAX) return undefined;
  const essence = ESSENCE.exec(text);
  if (essence === null) return undefined;
  const end = text.trimEnd().length;
  const parameters = new Map<string, string>();
  for (let at = essence[0].length; at < end; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const match = PARAMETER.exec(text);
    if (match === null) return undefined;
    const [, name, token, quoted] = match;
    if (name !== undefined) parameters.set(name.toLowerCase(), token ?? quoted!.replaceAll(/\\(.)/g, "$1"));
  }
  return { essence: essence[1]!.toLowerCase(), parameters };
}

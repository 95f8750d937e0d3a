/** The form of a UUID in texts: 36 characters, lower case, of whatever version. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Whether the text has the form of a UUID. */
export function looksLikeUuid(text: string): boolean {
  return UUID.test(text);
}

/** Everything in the text that has the form of a UUID, in order. */
export function findUuids(text: string): string[] {
  return text.match(UUIDS) ?? [];
}

/** Finds parts of texts between marks by searching only for the marks, as a text may be long and full of them. */

/** Replaces each part from `open` to the next `close`, or to the end if none follows. */
export function replaceBetween(text: string, open: string, close: string, by: string): string {
  let left = "";
  let at = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, at)) {
    const end = text.indexOf(close, start + open.length);
    left += text.slice(at, start) + by;
    if (end < 0) return left;
    at = end + close.length;
  }
  return left + text.slice(at);
}

/** Returns the parts between marks, without those that have no end. */
export function listBetween(text: string, open: string, close: string): string[] {
  const found: string[] = [];
  for (let start = text.indexOf(open); start >= 0;) {
    const from = start + open.length;
    const end = text.indexOf(close, from);
    if (end < 0) break;
    found.push(text.slice(from, end));
    start = text.indexOf(open, end + close.length);
  }
  return found;
}

/** Cuts a text into the chunks that the sentence encoder reads. */

/** The encoder learnt from texts of about this length, in UTF-16 units; of longer ones it keeps less. */
export const CHUNK_CHARS = 350;
/** The end of a longer text is found by its words alone. */
export const CHUNKS_MAX = 12;
/** A chunk ends at white space in its last part, if there is any. */
const LOOK_BACK = 80;

/** The chunks of a text, one for a short or empty text; at most `CHUNKS_MAX`, without unpaired surrogates. */
export function cutIntoChunks(text: string): string[] {
  const whole = text.slice(0, CHUNK_CHARS * CHUNKS_MAX + 1).toWellFormed().trim();
  const chunks: string[] = [];
  let at = 0;
  while (at < whole.length && chunks.length < CHUNKS_MAX) {
    let end = Math.min(whole.length, at + CHUNK_CHARS);
    if (end < whole.length) {
      const space = whole.slice(end - LOOK_BACK, end).search(/\s\S*$/);
      if (space >= 0) end += space - LOOK_BACK + 1;
      // A chunk does not end between the two halves of a character.
      else if (isLead(whole.charCodeAt(end - 1))) end--;
    }
    chunks.push(whole.slice(at, end));
    at = end;
  }
  return chunks.length === 0 ? [""] : chunks;
}

function isLead(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

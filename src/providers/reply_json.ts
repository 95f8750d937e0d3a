/** The JSON in a model's reply. */

/**
 * The outermost JSON object of a reply, unchecked; undefined where there is none. Models like to think aloud first and to
 * fence their JSON.
 */
export function readJsonObject(text: string): unknown {
  const thought = text.lastIndexOf("</think>");
  const answer = thought === -1 ? text : text.slice(thought + "</think>".length);
  try {
    return JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

/** Gives the person a file. */
export function download(name: string, content: string | Blob): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content]) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

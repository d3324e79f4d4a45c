/** Saves a text as a file through a temporary object URL. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the bytes by the end of this turn.
  setTimeout(() => URL.revokeObjectURL(url));
}

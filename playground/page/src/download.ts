/** Saves a text as a file through a temporary object URL. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has read the URL by the end of the current task.
  setTimeout(() => URL.revokeObjectURL(url));
}

/** Rows as CSV by RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvOf(rows: string[][]): string {
  return rows.map((row) => `${row.map((text) => quoted(guarded(text))).join(',')}\r\n`).join('');
}

function guarded(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Formats rows as CSV (RFC 4180). If a spreadsheet would interpret a text as a formula, the text gets an apostrophe as prefix. */
export function csvOf(rows: string[][]): string {
  return rows.map((row) => `${row.map((text) => quoted(guarded(text))).join(',')}\r\n`).join('');
}

function guarded(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

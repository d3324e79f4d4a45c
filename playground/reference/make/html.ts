// Builds HTML from text. Everything that is not marked as HTML is escaped.

/** A piece of HTML. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type Part = Html | string | number | null | undefined | false | Part[];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

/** Template tag that escapes all values except HTML. It joins lists and omits null, undefined and false. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + string + (index < values.length ? textOf(values[index]) : ''), ''));
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(textOf).join('');
  return part instanceof Html ? part.text : escape(String(part));
}

/** Converts a name to an `id` for the page. */
export function idOf(text: string): string {
  return text.toLowerCase().replace(/<[^>]*>/g, '').replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

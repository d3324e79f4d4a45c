// Renders the contract's Markdown as HTML. Embedded HTML is shown as text. Names of operations and codes become links.
import { Marked } from 'marked';
import { escape, Html, idOf } from './html';
import { highlight } from './highlight';

/** Targets of names in texts: `GET /v1/…` and the id of an operation link to the operation, `NOT_FOUND` to a code. */
export interface Links {
  operations: Map<string, string>;
  codes: Set<string>;
}

export interface Markdown {
  /** Renders a text with paragraphs. Its headings begin at this level. */
  block: (text: string, level?: number) => Html;
  /** Renders one line without a paragraph. */
  line: (text: string) => Html;
}

export function markdown(links: Links): Markdown {
  let first = 2;
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escape(text),
      codespan: ({ text }) => codeSpan(text, links),
      code: ({ text, lang }) => `<pre><code>${highlight(text, lang ?? '').text}</code></pre>`,
      heading({ tokens, depth, text }) {
        const level = Math.min(6, depth - 2 + first);
        return `<h${level} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${level}>`;
      },
      image: ({ text }) => escape(text),
    },
  });
  const kept = new Map<string, Html>();
  const keep = (key: string, make: () => string) => {
    const found = kept.get(key) ?? new Html(make());
    kept.set(key, found);
    return found;
  };
  return {
    block: (text, level = 2) => keep(`${level} ${text}`, () => ((first = level), marked.parse(text, { async: false }))),
    line: (text) => keep(`line ${text}`, () => marked.parseInline(text, { async: false })),
  };
}

function codeSpan(text: string, { operations, codes }: Links): string {
  const code = `<code>${escape(text)}</code>`;
  const operation = operations.get(text.replace(/\?.*$/, ''));
  if (operation) return `<a href="/reference/operations/${operation}">${code}</a>`;
  return codes.has(text) ? `<a href="/reference/codes/${text}">${code}</a>` : code;
}

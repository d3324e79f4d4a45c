// The concept pages: reads reference/concepts, one Markdown file for each page.
import { parse } from 'yaml';
import { idOf } from './html';

/** The order of the pages in the navigation. Each name is a file and the last part of an address. */
export const CONCEPTS = [
  'authentication', 'errors', 'pagination', 'idempotency', 'concurrency', 'rate-limits', 'versioning', 'files',
  'webhooks-and-events', 'publishing', 'publishing-from-ci', 'testing', 'oauth', 'agents', 'client-generators',
] as const;

export interface Concept {
  name: string;
  title: string;
  /** One sentence below the title. */
  summary: string;
  /** Words with which a reader may search for the page. */
  words: string[];
  /** Markdown below the title. Its headings begin at level 2. */
  text: string;
}

const HEAD = /^---\n(.*?)\n---\n/s;

/** Reads the files, by name. Throws if a page is missing, unknown, or has no title, summary or words. */
export function readConcepts(files: Map<string, string>): Concept[] {
  const unknown = [...files.keys()].filter((name) => !(CONCEPTS as readonly string[]).includes(name));
  const missing = CONCEPTS.filter((name) => !files.has(name));
  const problems = [...unknown.map((name) => `${name} is not in the list of pages`), ...missing.map((name) => `${name} is missing`)];
  if (problems.length > 0) throw new Error(`reference/concepts: ${problems.join('; ')}`);
  return CONCEPTS.map((name) => conceptOf(name, files.get(name) ?? ''));
}

function conceptOf(name: string, file: string): Concept {
  const [head = '', yaml = ''] = HEAD.exec(file) ?? [];
  const { title, summary, words } = (parse(yaml) ?? {}) as Partial<Concept>;
  if (!title || !summary?.endsWith('.') || !words?.length) throw new Error(`reference/concepts/${name}: the head needs a title, a sentence as summary, and words`);
  return { name, title, summary, words, text: file.slice(head.length).trim() };
}

/** Returns the headings of level 2 of a text, each with its `id`. */
export function headingsOf({ text }: Concept): [id: string, title: string][] {
  const prose = text.replace(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/^## (.+)$/gm)].map(([, title = '']) => [idOf(title), title]);
}

/** Returns the text without marks of Markdown, for the search. */
export function plainText(text: string): string {
  const links = text.replace(/^```.*?^```$/gms, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return links.replace(/^\|[-| ]+\|$/gm, ' ').replace(/[`*]/g, '').replace(/[|#]/g, ' ').replace(/\s+/g, ' ').trim();
}

// Assembles complete HTML pages, so that a page has its text before its script runs, and without it.
import { escape, html, type Html } from './html';

export interface Page {
  title: string;
  /** One sentence for search engines and previews. */
  description: string;
  /** The place that the content belongs to, as the script names it. */
  place: string;
  navigation: Html;
  content: Html;
}

/** Fills the placeholders of index.html. */
export function fillPage(template: string, { title, description, place, navigation, content }: Page, pieces: string): string {
  const values: Record<string, string> = {
    title: escape(title), description: escape(description), place: escape(place), pieces, navigation: navigation.text, content: content.text,
  };
  return template.replace(/%(title|description|place|pieces|navigation|content)%/g, (_, name: string) => values[name] ?? '');
}

/** The page of an unknown address. The script fills in the nearest names. */
export function missingPage(): Html {
  return html`<article data-missing><h1 tabindex="-1">Page not found</h1>
<p class="lead">The reference has no page with this address.</p>
<div data-nearest></div>
<p>Search for an operation, a code or a field, or begin at the <a href="/reference">start page</a>. <a href="/llms.txt" data-plain>The index in Markdown</a> lists all operations and codes.</p></article>`;
}

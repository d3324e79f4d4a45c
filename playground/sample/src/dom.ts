// Creates elements without a framework. Text is inserted as text; only `safeHtml` inserts HTML.
import { pageLanguage } from './language';

type Value = string | number | boolean | null | undefined | ((event: Event) => void);
export type Child = Node | string | null | undefined | false;

/** Creates an element. Functions become listeners (`onclick`), true becomes an empty attribute, false and null are omitted. */
export function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...present(children));
  return element;
}

/** Creates an SVG element. */
export function drawing<K extends keyof SVGElementTagNameMap>(name: K, attributes: Record<string, string | number> = {}, ...children: SVGElement[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Returns the children without empty values. */
export function present(children: Child[]): (Node | string)[] {
  return children.filter((child) => child !== null && child !== undefined && child !== false && child !== '') as (Node | string)[];
}

interface HtmlPolicy {
  createHTML(html: string): string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
const asAnswered: HtmlPolicy = { createHTML: (html) => html };
const policy = factory ? factory.createPolicy('service-html', asAnswered) : asAnswered;

/**
 * Shows HTML that the service rendered from Markdown: only for the fields named `…_html`. The content security policy requires
 * trusted types, so no other code of this page can insert HTML.
 */
export function safeHtml(html: string): HTMLElement {
  const element = h('div', { class: 'prose' });
  element.innerHTML = policy.createHTML(html);
  return element;
}

/** Plain text with paragraphs, which empty lines separate. */
export function paragraphs(text: string, lang?: string): HTMLElement {
  return h('div', { class: 'prose', lang }, ...text.split(/\n\s*\n/).map((part) => h('p', {}, part)));
}

/** An external link, or null if the URL is missing or is not an http or https URL. */
export function external(url: string | null, text: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement | null {
  return url && /^https?:\/\//i.test(url) ? h('a', { href: url, rel: 'noopener noreferrer', ...attributes }, text, ...children) : null;
}

/** A date in words, with the exact time for programs. */
export function day(moment: string, month: 'long' | 'short' = 'long'): HTMLElement {
  const text = new Date(moment).toLocaleDateString(pageLanguage(), { year: 'numeric', month, day: 'numeric' });
  return h('time', { datetime: moment }, text);
}

/** Formats a number with its noun: `1 review`, `2 reviews`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** Returns the name of a language in that language. */
export function languageName(locale: string): string {
  return new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
}

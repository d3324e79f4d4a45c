// The filters of the search. They are one form: every change creates a new URL and starts its search.
import { type Schemas } from '../api';
import { h, languageName } from '../dom';
import { go } from '../router';
import { addressOf, type Search } from './search';

/** Number of choices of a filter that are visible before the user expands it. */
const SHOWN = 8;

export function filters(wanted: Search, facets: Schemas['ListingFacets']): HTMLElement {
  const form: HTMLFormElement = h('form', { id: 'filters', 'aria-label': 'Filters' }, ...groups(wanted, facets));
  form.addEventListener('change', () => go(addressOf(chosen(form, wanted))));
  form.addEventListener('submit', (event) => event.preventDefault());
  const number = wanted.category.length + wanted.language.length + [wanted.partner, wanted.rating_from, wanted.verified].filter(Boolean).length;
  const clear = h('a', { href: addressOf({ ...wanted, category: [], language: [], partner: undefined, verified: false, rating_from: undefined }) }, 'Clear all filters');
  // On a phone the filters are collapsed. On wider screens the stylesheet always shows them.
  return h('details', { class: 'filters', open: open() }, h('summary', {}, number > 0 ? `Filters (${number})` : 'Filters'), number > 0 && h('p', {}, clear), form);
}

function open(): boolean {
  return matchMedia('(min-width: 48rem)').matches || document.querySelector<HTMLDetailsElement>('.filters')?.open === true;
}

function groups(wanted: Search, facets: Schemas['ListingFacets']): (HTMLElement | null)[] {
  const stars = facets.ratings.map(({ at_least, count }) => ({ value: String(at_least), text: `${at_least} ${at_least === 1 ? 'star' : 'stars'} or more`, count }));
  return [
    group('Category', 'checkbox', 'category', tree(facets.categories), wanted.category),
    group('Rating', 'radio', 'rating_from', [{ value: '', text: 'Any' }, ...stars.filter(({ count }) => count > 0)], [wanted.rating_from?.toString() ?? '']),
    group('Language', 'checkbox', 'language', facets.languages.map(({ locale, count }) => ({ value: locale, text: languageName(locale), count, lang: locale })), wanted.language),
    group('Vendor', 'radio', 'partner', [{ value: '', text: 'Any' }, ...facets.vendors.map(({ slug, name, count }) => ({ value: slug, text: name, count }))], [wanted.partner ?? '']),
    facets.verified > 0 || wanted.verified ? group('Trust', 'checkbox', 'verified', [{ value: 'true', text: 'Verified vendors', count: facets.verified }], [String(wanted.verified)]) : null,
  ];
}

interface Choice {
  value: string;
  text: string;
  count?: number;
  depth?: number;
  lang?: string;
}

/** Flattens the category tree. Each category follows its parent. */
function tree(categories: Schemas['CategoryFacet'][], parent: string | null = null, depth = 0): Choice[] {
  const here = categories.filter(({ parent_slug }) => parent_slug === parent);
  return here.flatMap(({ slug, name, count }) => [{ value: slug, text: name, count, depth }, ...tree(categories, slug, depth + 1)]);
}

function group(title: string, type: 'checkbox' | 'radio', name: string, choices: Choice[], chosen: string[]): HTMLElement | null {
  // A selected value stays visible and can be cleared, even if no listing has it any more.
  const gone = chosen.filter((value) => value !== '' && value !== 'false' && !choices.some((choice) => choice.value === value));
  const all = [...choices, ...gone.map((value) => ({ value, text: value, count: 0 }))];
  if (all.length === 0) return null;
  const rows = all.map((choice) => row(type, name, choice, chosen.includes(choice.value)));
  const later = rows.slice(SHOWN);
  const more = later.length > 0 && h('details', { open: later.some((one) => one.querySelector('input')?.checked) }, h('summary', {}, `${later.length} more`), ...later);
  return h('fieldset', {}, h('legend', {}, title), ...rows.slice(0, SHOWN), more);
}

function row(type: string, name: string, { value, text, count, depth = 0, lang }: Choice, checked: boolean): HTMLElement {
  const id = `${name}-${value || 'any'}`;
  return h('label', { class: `choice depth-${Math.min(depth, 3)}` }, h('input', { type, name, value, id, checked }), h('span', { lang }, text), ' ', count !== undefined && h('span', { class: 'number' }, String(count)));
}

function chosen(form: HTMLFormElement, before: Search): Search {
  const data = new FormData(form);
  const all = (name: string) => data.getAll(name).map(String);
  const one = (name: string) => String(data.get(name) ?? '') || undefined;
  const rating = one('rating_from');
  return {
    ...before,
    category: all('category'),
    language: all('language'),
    partner: one('partner'),
    verified: data.has('verified'),
    rating_from: rating === undefined ? undefined : Number(rating),
  };
}

// The filters of the search, as chips. They are one form: every change creates a new URL and starts its search. A chip
// with an arrow opens its choices; the selected choices are below, each with a link that removes it.
import { type Schemas } from '../api';
import { h, languageName } from '../dom';
import { texts } from '../language';
import { pictogram } from '../pictograms';
import { go } from '../router';
import { addressOf, type Search } from './search';

type Facets = Schemas['ListingFacets'];

/** A filter with several choices. `chosen` has the selected values, '' for none of a radio group. */
interface Filter {
  name: 'category' | 'rating_from' | 'language' | 'partner';
  title: string;
  type: 'checkbox' | 'radio';
  choices: Choice[];
  chosen: string[];
}

interface Choice {
  value: string;
  text: string;
  count?: number;
  /** Level in a tree; a root begins a line. */
  depth?: number;
  lang?: string;
}

export function filters(wanted: Search, facets: Facets): HTMLElement {
  const all = toFilters(wanted, facets).map(addMissing).filter(({ choices }) => choices.some(({ value }) => value !== ''));
  const form: HTMLFormElement = h('form', { id: 'filters', class: 'chips', 'aria-label': texts().filters }, ...all.map(makeMenu), makeVerifiedChip(wanted, facets));
  form.addEventListener('change', () => go(addressOf(readForm(form, wanted))));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('keydown', closeMenu);
  return h('div', { class: 'filters' }, form, listSelected(wanted, all));
}

function toFilters(wanted: Search, facets: Facets): Filter[] {
  const t = texts();
  const any: Choice = { value: '', text: t.any };
  const stars = facets.ratings.map(({ at_least, count }) => ({ value: String(at_least), text: t.starsFrom(at_least), count }));
  return [
    { name: 'category', title: t.filter.category, type: 'checkbox', choices: flattenTree(facets.categories), chosen: wanted.category },
    { name: 'rating_from', title: t.filter.rating, type: 'radio', choices: [any, ...stars.filter(({ count }) => count > 0)], chosen: [wanted.rating_from?.toString() ?? ''] },
    { name: 'language', title: t.filter.language, type: 'checkbox', choices: facets.languages.map(({ locale, count }) => ({ value: locale, text: languageName(locale), count, lang: locale })), chosen: wanted.language },
    { name: 'partner', title: t.filter.vendor, type: 'radio', choices: [any, ...facets.vendors.map(({ slug, name, count }) => ({ value: slug, text: name, count }))], chosen: [wanted.partner ?? ''] },
  ];
}

/** Adds selected values that no listing has any more, so that the user can clear them. */
function addMissing(filter: Filter): Filter {
  const missing = filter.chosen.filter((value) => value !== '' && !filter.choices.some((choice) => choice.value === value));
  return { ...filter, choices: [...filter.choices, ...missing.map((value) => ({ value, text: value, count: 0 }))] };
}

/** Flattens the category tree. Each category follows its parent. */
function flattenTree(categories: Schemas['CategoryFacet'][], parent: string | null = null, depth = 0): Choice[] {
  const here = categories.filter(({ parent_slug }) => parent_slug === parent);
  return here.flatMap(({ slug, name, count }) => [{ value: slug, text: name, count, depth }, ...flattenTree(categories, slug, depth + 1)]);
}

/** A chip that opens its choices. Menus with the same name close each other. An open menu stays open after a choice. */
function makeMenu({ name, title, type, choices, chosen }: Filter): HTMLElement {
  const id = `menu-${name}`;
  const number = chosen.filter((value) => value !== '').length;
  const summary = h('summary', { class: number > 0 ? 'chip on' : 'chip' }, title, number > 0 && type === 'checkbox' && h('span', { class: 'number' }, String(number)), pictogram('down'));
  const lines = groupByRoot(choices).map((line) => h('div', { class: 'row' }, ...line.map((one) => makeChoice(type, name, one, chosen.includes(one.value)))));
  const open = document.querySelector<HTMLDetailsElement>(`#${id}`)?.open === true;
  return h('details', { class: 'menu', id, name: 'menu', open }, summary, h('fieldset', { class: 'panel' }, h('legend', { class: 'unseen' }, title), ...lines));
}

/** Divides the choices of a tree into lines that begin with a root. Other choices are one line. */
function groupByRoot(choices: Choice[]): Choice[][] {
  const lines: Choice[][] = [];
  for (const one of choices) {
    const last = lines.at(-1);
    if (!last || one.depth === 0) lines.push([one]);
    else last.push(one);
  }
  return lines;
}

function makeChoice(type: string, name: string, { value, text, count, depth, lang }: Choice, checked: boolean): HTMLElement {
  const input = h('input', { class: 'unseen', type, name, value, id: `${name}-${value || 'any'}`, checked });
  return h('label', { class: depth === 0 ? 'chip root' : 'chip' }, input, h('span', { lang }, text), ' ', count !== undefined && h('span', { class: 'number' }, String(count)));
}

function makeVerifiedChip(wanted: Search, facets: Facets): HTMLElement | null {
  if (facets.verified === 0 && !wanted.verified) return null;
  const input = h('input', { class: 'unseen', type: 'checkbox', name: 'verified', value: 'true', id: 'verified', checked: wanted.verified });
  return h('label', { class: 'chip' }, input, pictogram('verified'), texts().verifiedOnly, ' ', h('span', { class: 'number' }, String(facets.verified)));
}

/** The selected choices, each as a link to the search without it. */
function listSelected(wanted: Search, all: Filter[]): HTMLElement | null {
  const t = texts();
  const without: Record<Filter['name'], (value: string) => Search> = {
    category: (value) => ({ ...wanted, category: wanted.category.filter((one) => one !== value) }),
    language: (value) => ({ ...wanted, language: wanted.language.filter((one) => one !== value) }),
    rating_from: () => ({ ...wanted, rating_from: undefined }),
    partner: () => ({ ...wanted, partner: undefined }),
  };
  const links = all.flatMap(({ name, choices, chosen }) => choices.filter(({ value }) => value !== '' && chosen.includes(value)).map(({ value, text }) => linkWithout(text, without[name](value))));
  if (wanted.verified) links.push(linkWithout(t.verifiedOnly, { ...wanted, verified: false }));
  if (links.length === 0) return null;
  const none = { ...wanted, category: [], language: [], partner: undefined, verified: false, rating_from: undefined };
  return h('ul', { class: 'row selected' }, ...links.map((one) => h('li', {}, one)), h('li', {}, h('a', { class: 'small', href: addressOf(none) }, t.clearAll)));
}

function linkWithout(text: string, rest: Search): HTMLElement {
  return h('a', { class: 'chip on', href: addressOf(rest), 'aria-label': texts().removeFilter(text) }, text, pictogram('cross'));
}

function readForm(form: HTMLFormElement, before: Search): Search {
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

/** Closes the open menu with Escape, and returns the focus to its chip. */
function closeMenu(event: KeyboardEvent): void {
  const open = event.target instanceof Element ? event.target.closest<HTMLDetailsElement>('.menu[open]') : null;
  if (event.key !== 'Escape' || !open) return;
  open.open = false;
  open.querySelector('summary')?.focus();
}

// A click outside of an open menu closes it.
document.addEventListener('pointerdown', ({ target }) => {
  for (const open of document.querySelectorAll<HTMLDetailsElement>('.menu[open]')) if (target instanceof Node && !open.contains(target)) open.open = false;
});

// The search: query text, filters with the number of results for each, sort order, and pages by cursor.
import { dataOf, given, storefront, type Schemas } from '../api';
import { count, h } from '../dom';
import { card, empty, going } from '../parts';
import { go, link, locale, type View } from '../router';
import { filters } from './facets';

type Sort = 'relevance' | '-published_at' | '-first_published_at' | 'name' | '-rating';
const SORTS: [Sort, string][] = [
  ['relevance', 'Best match'],
  ['-rating', 'Best rated'],
  ['-published_at', 'Last updated'],
  ['-first_published_at', 'Newest'],
  ['name', 'Name'],
];

/** Filters and order of a search, read from the address. */
export interface Search {
  q: string | undefined;
  category: string[];
  language: string[];
  partner: string | undefined;
  verified: boolean;
  rating_from: number | undefined;
  sort: Sort;
}

export const search: View = async ({ query, signal }) => {
  const wanted = read(query);
  const ask = (cursor?: string) => dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...parameters(wanted), ...given({ cursor }) } }, signal }));
  const found = await ask();
  const list = found.data.length > 0 ? going(h('ul', { class: 'cards' }), found, (one) => card(one), ask) : nothing(wanted);
  return h(
    'div',
    { class: 'stack' },
    h('h1', {}, wanted.q ? `Apps for “${wanted.q}”` : 'All apps'),
    h(
      'div',
      { class: 'search' },
      filters(wanted, found.facets),
      h('section', { 'aria-label': 'Results' }, h('div', { class: 'bar' }, h('p', { role: 'status' }, count(found.facets.total, 'app')), order(wanted)), corrected(found), list),
    ),
  );
};

function read(query: URLSearchParams): Search {
  const rating = Number(query.get('rating_from'));
  return {
    q: query.get('q')?.trim() || undefined,
    category: query.getAll('category'),
    language: query.getAll('language'),
    partner: query.get('partner') ?? undefined,
    verified: query.get('verified') === 'true',
    rating_from: rating >= 1 && rating <= 5 ? rating : undefined,
    sort: sortOf(query.get('sort')),
  };
}

function sortOf(text: string | null): Sort {
  return SORTS.find(([sort]) => sort === text)?.[0] ?? 'relevance';
}

/** Converts a search to query parameters of the operation. It omits filters that are not set. */
function parameters(wanted: Search) {
  const { q, partner, rating_from, sort } = wanted;
  return {
    sort,
    limit: 12,
    ...given({
      q,
      partner,
      rating_from,
      locale: locale(),
      category: wanted.category.length > 0 ? wanted.category : undefined,
      language: wanted.language.length > 0 ? wanted.language : undefined,
      verified: wanted.verified || undefined,
    }),
  };
}

/** Builds the address of a search. */
export function addressOf(wanted: Search): string {
  const { q, category, language, partner, verified, rating_from: rating, sort } = wanted;
  return link('/listings', { q, category, language, partner, verified: verified ? 'true' : undefined, rating_from: rating?.toString(), sort: sort === 'relevance' ? undefined : sort });
}

/** A note that the service replaced a misspelt word, because there were no results for it. */
function corrected({ corrected_from: from, corrected_to: to }: Schemas['ListingList']): HTMLElement | null {
  return from && to ? h('p', { class: 'note' }, 'No results for ', h('s', {}, from), '. Showing results for ', h('strong', {}, to), '.') : null;
}

function order(wanted: Search): HTMLElement {
  const options = SORTS.map(([sort, text]) => h('option', { value: sort, selected: sort === wanted.sort }, text));
  const select: HTMLSelectElement = h('select', { id: 'sort' }, ...options);
  select.addEventListener('change', () => go(addressOf({ ...wanted, sort: sortOf(select.value) })));
  return h('label', { class: 'order' }, 'Sort by ', select);
}

function nothing(wanted: Search): HTMLElement {
  const advice = wanted.q ? 'Use fewer words, or remove filters.' : 'Remove filters to see more apps.';
  return empty(h('h2', {}, 'No apps match'), advice, h('a', { href: link('/listings') }, 'Show all apps'));
}

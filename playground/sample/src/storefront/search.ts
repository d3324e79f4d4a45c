// The search: query text, filters with the number of results for each, sort order, and pages by cursor.
import { dataOf, given, storefront, type Schemas } from '../api';
import { h } from '../dom';
import { locale, texts } from '../language';
import { card, empty, going } from '../parts';
import { go, link, type View } from '../router';
import { filters } from './facets';

type Sort = 'relevance' | '-published_at' | '-first_published_at' | 'name' | '-rating';
const SORTS: Sort[] = ['relevance', '-rating', '-published_at', '-first_published_at', 'name'];

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
  const t = texts();
  const said = h('p', { role: 'status', class: 'faint' }, t.apps(found.facets.total));
  return h(
    'div',
    { class: 'stack search' },
    h('div', { class: 'bar' }, h('div', {}, h('h1', {}, wanted.q ? t.appsFor(wanted.q) : t.allApps), said), order(wanted)),
    filters(wanted, found.facets),
    h('section', { 'aria-label': t.results }, corrected(found), leftOut(found), list),
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
  return SORTS.find((sort) => sort === text) ?? 'relevance';
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
  return from && to ? h('p', { class: 'note' }, `${texts().corrected} `, h('s', {}, from), `. ${texts().correctedTo} `, h('strong', {}, to), '.') : null;
}

/** A note about words that no result has. */
function leftOut({ left_out: words }: Schemas['ListingList']): HTMLElement | null {
  return words.length > 0 ? h('p', { class: 'note' }, `${texts().leftOut} `, h('strong', {}, words.join(', '))) : null;
}

function order(wanted: Search): HTMLElement {
  const options = SORTS.map((sort) => h('option', { value: sort, selected: sort === wanted.sort }, texts().sorts[sort]));
  const select: HTMLSelectElement = h('select', { id: 'sort' }, ...options);
  select.addEventListener('change', () => go(addressOf({ ...wanted, sort: sortOf(select.value) })));
  return h('label', { class: 'order' }, `${texts().sortBy} `, select);
}

function nothing(wanted: Search): HTMLElement {
  const t = texts();
  return empty(h('h2', {}, t.noMatch), wanted.q ? t.fewerWords : t.fewerFilters, h('a', { href: link('/listings') }, t.showAllApps));
}

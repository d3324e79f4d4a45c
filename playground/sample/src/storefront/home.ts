// The front page of the marketplace: a featured app, categories, collections and new apps.
import { dataOf, given, Refusal, storefront, type Schemas } from '../api';
import { h } from '../dom';
import { locale, texts } from '../language';
import { cards, icon, picture, stars, verifiedMark } from '../parts';
import { pictogram } from '../pictograms';
import { link, type View } from '../router';

export const home: View = async ({ signal }) => {
  const query = given({ locale: locale() });
  const [categories, collections, newest] = await Promise.all([
    dataOf(storefront.GET('/v1/marketplace/public/categories', { params: { query }, signal })),
    dataOf(storefront.GET('/v1/marketplace/public/collections', { params: { query: { ...query, limit: 6 } }, signal })),
    dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...query, sort: '-first_published_at', limit: 8 } }, signal })),
  ]);
  const t = texts();
  const shown = collections.data.filter(({ listings_count }) => listings_count > 0);
  // The first app of the first collection is featured. Staff choose it by the order of the collection.
  const slug = shown[0]?.listings[0]?.slug;
  const first = slug ? await load(slug, signal) : null;
  return h(
    'div',
    { class: 'stack home' },
    h('header', { class: 'lead' }, h('h1', {}, t.headline), h('p', {}, t.lead(newest.facets.total))),
    shown[0] && first ? featured(shown[0], first) : null,
    h('nav', { 'aria-label': t.categories }, h('ul', { class: 'tiles' }, ...categories.data.map(tile))),
    ...shown.map((one, place) => shelf(one, place === 0 && first ? first.slug : undefined)),
    h('section', {}, h('div', { class: 'bar' }, h('h2', {}, t.newApps), h('a', { href: link('/listings', { sort: '-first_published_at' }) }, t.allApps)), cards(newest.data)),
  );
};

/** One app of a collection, large. */
function featured(collection: Schemas['PublicCollection'], shown: Schemas['Listing']): HTMLElement {
  const t = texts();
  const image = shown.media.find(({ kind, sources }) => kind !== 'ICON' && sources.length > 0);
  const from = h('a', { href: link(`/collections/${collection.slug}`) }, collection.title);
  return h(
    'section',
    { class: 'featured', 'aria-label': t.featured },
    h(
      'div',
      { class: 'featured-text' },
      h('p', { class: 'eyebrow' }, t.featured),
      h('div', { class: 'row' }, icon(shown, '5rem'), h('div', {}, h('h2', { lang: shown.locale }, shown.name), h('p', { class: 'small vendor-name' }, h('span', {}, shown.vendor.name), verifiedMark(shown.vendor)))),
      h('p', { class: 'tagline', lang: shown.locale }, shown.tagline),
      h('p', {}, stars(shown.rating)),
      h('p', { class: 'actions' }, h('a', { class: 'main', href: link(`/listings/${shown.slug}`) }, t.viewApp, h('span', { class: 'unseen' }, `: ${shown.name}`))),
      h('p', { class: 'small faint' }, `${t.fromCollection} `, from),
    ),
    image && h('div', { class: 'featured-image' }, picture(image.sources, image.alt_text ?? '', '(min-width: 48rem) 44rem, 100vw', { loading: 'eager', fetchpriority: 'high' })),
  );
}

/** Loads a listing. Null if it has left the storefront since the collection was read. */
async function load(listing_slug: string, signal: AbortSignal): Promise<Schemas['Listing'] | null> {
  try {
    return await dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}', { params: { path: { listing_slug }, query: given({ locale: locale() }) }, signal }));
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return null;
    throw error;
  }
}

function tile(category: Schemas['PublicCategory']): HTMLElement {
  const text = h('span', {}, h('strong', {}, category.name), h('span', { class: 'small faint' }, texts().apps(category.listings_count)));
  return h('li', {}, h('a', { href: link(`/categories/${category.slug}`) }, h('span', { class: 'tile-icon' }, pictogram(category.icon)), text));
}

/** The first apps of a collection, without the featured one. */
function shelf(collection: Schemas['PublicCollection'], featured: string | undefined): HTMLElement {
  const [t, address] = [texts(), link(`/collections/${collection.slug}`)];
  const all = h('a', { href: address }, t.showAll, h('span', { class: 'unseen' }, `: ${collection.title}`));
  return h(
    'section',
    { class: 'shelf' },
    h('div', { class: 'bar' }, h('div', {}, h('h2', {}, h('a', { href: address }, collection.title)), collection.description && h('p', { class: 'faint' }, collection.description)), all),
    cards(collection.listings.filter((one) => one.slug !== featured).slice(0, 4)),
  );
}

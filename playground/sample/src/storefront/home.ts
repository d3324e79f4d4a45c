// The front page of the marketplace: categories, collections and new apps.
import { dataOf, given, storefront, type Schemas } from '../api';
import { count, h } from '../dom';
import { cards } from '../parts';
import { link, locale, type View } from '../router';

export const home: View = async ({ signal }) => {
  const query = given({ locale: locale() });
  const [categories, collections, newest] = await Promise.all([
    dataOf(storefront.GET('/v1/marketplace/public/categories', { params: { query }, signal })),
    dataOf(storefront.GET('/v1/marketplace/public/collections', { params: { query: { ...query, limit: 6 } }, signal })),
    dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...query, sort: '-first_published_at', limit: 6 } }, signal })),
  ]);
  return h(
    'div',
    { class: 'stack' },
    h('header', { class: 'lead' }, h('h1', {}, 'Apps for your restaurant'), h('p', {}, `${count(newest.facets.total, 'app')} for point of sale, kitchen and guests.`)),
    h('nav', { 'aria-label': 'Categories' }, h('ul', { class: 'tiles' }, ...categories.data.map(tile))),
    ...collections.data.filter(({ listings_count }) => listings_count > 0).map(shelf),
    h('section', {}, h('div', { class: 'bar' }, h('h2', {}, 'New apps'), h('a', { href: link('/listings', { sort: '-first_published_at' }) }, 'All apps')), cards(newest.data)),
  );
};

function tile(category: Schemas['PublicCategory']): HTMLElement {
  return h('li', {}, h('a', { href: link(`/categories/${category.slug}`) }, h('strong', {}, category.name), h('span', { class: 'small faint' }, count(category.listings_count, 'app'))));
}

function shelf(collection: Schemas['PublicCollection']): HTMLElement {
  const address = link(`/collections/${collection.slug}`);
  return h(
    'section',
    {},
    h('div', { class: 'bar' }, h('h2', {}, h('a', { href: address }, collection.title)), h('a', { href: address }, `All ${collection.listings_count}`, h('span', { class: 'unseen' }, ` of ${collection.title}`))),
    collection.description && h('p', { class: 'faint' }, collection.description),
    cards(collection.listings.slice(0, 3)),
  );
}

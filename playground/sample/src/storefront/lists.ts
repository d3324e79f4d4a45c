// The two kinds of curated lists: a collection in its own order, and a category with its subcategories.
import { dataOf, given, storefront, type Schemas } from '../api';
import { count, h } from '../dom';
import { card, empty, going } from '../parts';
import { link, locale, type View } from '../router';

export const collection: View = async ({ name, signal }) => {
  const ask = (cursor?: string) =>
    dataOf(storefront.GET('/v1/marketplace/public/collections/{collection_slug}', { params: { path: { collection_slug: name }, query: { limit: 12, ...given({ cursor, locale: locale() }) } }, signal }));
  const first = await ask();
  return h(
    'article',
    { class: 'stack' },
    h('header', { class: 'lead' }, h('p', { class: 'small faint' }, 'Collection'), h('h1', {}, first.title), first.description && h('p', {}, first.description)),
    first.data.length > 0 ? going(h('ul', { class: 'cards' }), first, (one) => card(one), ask) : empty('This collection has no apps.'),
  );
};

export const category: View = async ({ name, signal }) => {
  const query = given({ locale: locale() });
  const ask = (cursor?: string) => dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...query, category: [name], limit: 12, ...given({ cursor }) } }, signal }));
  const [shown, apps] = await Promise.all([dataOf(storefront.GET('/v1/marketplace/public/categories/{category_slug}', { params: { path: { category_slug: name }, query }, signal })), ask()]);
  const steps = shown.path.filter(({ slug }) => slug !== shown.slug);
  return h(
    'article',
    { class: 'stack' },
    h(
      'header',
      { class: 'lead' },
      h('nav', { 'aria-label': 'Breadcrumb' }, h('ol', { class: 'way small' }, h('li', {}, h('a', { href: link('/') }, 'Marketplace')), ...steps.map((step) => h('li', {}, entry(step))))),
      h('h1', {}, shown.name),
      shown.description && h('p', {}, shown.description),
    ),
    shown.children.length > 0 && h('nav', { 'aria-label': 'Subcategories' }, h('ul', { class: 'row' }, ...shown.children.map((child) => h('li', {}, entry(child, child.listings_count))))),
    h('div', { class: 'bar' }, h('h2', {}, count(shown.listings_count, 'app')), h('a', { href: link('/listings', { category: shown.slug }) }, 'Search in this category')),
    apps.data.length > 0 ? going(h('ul', { class: 'cards' }), apps, (one) => card(one), ask) : empty('This category has no apps.'),
  );
};

function entry({ slug, name }: Schemas['PublicCategoryStep'], number?: number): HTMLElement {
  const badge = number === undefined ? {} : { class: 'badge' };
  return h('a', { ...badge, href: link(`/categories/${slug}`) }, name, number !== undefined && ` ${number}`);
}

// The two kinds of curated lists: a collection in its own order, and a category with its subcategories.
import { dataOf, given, storefront, type Schemas } from '../api';
import { h } from '../dom';
import { locale, texts } from '../language';
import { card, empty, going } from '../parts';
import { pictogram } from '../pictograms';
import { link, type View } from '../router';

export const collection: View = async ({ name, signal }) => {
  const ask = (cursor?: string) =>
    dataOf(storefront.GET('/v1/marketplace/public/collections/{collection_slug}', { params: { path: { collection_slug: name }, query: { limit: 12, ...given({ cursor, locale: locale() }) } }, signal }));
  const [t, first] = [texts(), await ask()];
  return h(
    'article',
    { class: 'stack' },
    h('header', { class: 'lead' }, h('p', { class: 'eyebrow' }, t.collection), h('h1', {}, first.title), first.description && h('p', {}, first.description)),
    first.data.length > 0 ? going(h('ul', { class: 'cards' }), first, (one) => card(one), ask) : empty(t.emptyCollection),
  );
};

export const category: View = async ({ name, signal }) => {
  const query = given({ locale: locale() });
  const ask = (cursor?: string) => dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...query, category: [name], limit: 12, ...given({ cursor }) } }, signal }));
  const [shown, apps] = await Promise.all([dataOf(storefront.GET('/v1/marketplace/public/categories/{category_slug}', { params: { path: { category_slug: name }, query }, signal })), ask()]);
  const t = texts();
  const steps = shown.path.filter(({ slug }) => slug !== shown.slug);
  const children = shown.children.map((child) => h('li', {}, h('a', { class: 'chip', href: link(`/categories/${child.slug}`) }, pictogram(child.icon), child.name, ' ', h('span', { class: 'number' }, String(child.listings_count)))));
  return h(
    'article',
    { class: 'stack' },
    h(
      'header',
      { class: 'lead' },
      h('nav', { 'aria-label': t.breadcrumb }, h('ol', { class: 'way small' }, h('li', {}, h('a', { href: link('/') }, t.marketplace)), ...steps.map((step) => h('li', {}, entry(step))))),
      h('div', { class: 'category-head' }, h('span', { class: 'tile-icon' }, pictogram(shown.icon)), h('div', {}, h('h1', {}, shown.name), shown.description && h('p', {}, shown.description))),
      children.length > 0 && h('nav', { 'aria-label': t.subcategories }, h('ul', { class: 'row' }, ...children)),
    ),
    h('section', {}, h('div', { class: 'bar' }, h('h2', {}, t.apps(shown.listings_count)), h('a', { href: link('/listings', { category: shown.slug }) }, t.searchInCategory)), apps.data.length > 0 ? going(h('ul', { class: 'cards' }), apps, (one) => card(one), ask) : empty(t.emptyCategory)),
  );
};

function entry({ slug, name }: Schemas['PublicCategoryStep']): HTMLElement {
  return h('a', { href: link(`/categories/${slug}`) }, name);
}

// One listing: description, images, data permissions, versions and customer reviews of the app.
import { dataOf, given, storefront, type Schemas } from '../api';
import { day, external, h, languageName, paragraphs } from '../dom';
import { locale, texts } from '../language';
import { card, icon, stars, verifiedMark } from '../parts';
import { pictogram } from '../pictograms';
import { link, type View } from '../router';
import { gallery } from './gallery';
import { reviews } from './reviews';

export const listing: View = async ({ name, signal }) => {
  const params = { path: { listing_slug: name }, query: given({ locale: locale() }) };
  const [shown, related, spread] = await Promise.all([
    dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}', { params, signal })),
    dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}/related', { params: { ...params, query: { ...params.query, limit: 4 } }, signal })),
    reviews(name, signal),
  ]);
  const t = texts();
  const about = h('section', {}, h('h2', {}, t.about), paragraphs(shown.description, shown.locale));
  return h(
    'article',
    { class: 'stack' },
    head(shown),
    gallery(shown.media),
    h('div', { class: 'columns listing' }, h('div', { class: 'stack' }, about, news(shown)), aside(shown), spread),
    related.data.length > 0 && h('section', { class: 'shelf' }, h('h2', {}, t.related), h('ul', { class: 'cards' }, ...related.data.map(({ listing: other, reason }) => card(other, t.reasons[reason])))),
  );
};

function head(shown: Schemas['Listing']): HTMLElement {
  const t = texts();
  const vendor = h('a', { href: link(`/partners/${shown.vendor.slug}`) }, shown.vendor.name);
  const categories = shown.categories.map(({ slug, name }) => h('li', {}, h('a', { class: 'chip', href: link(`/categories/${slug}`) }, name)));
  const rating = shown.rating.average === null ? stars(shown.rating) : h('a', { href: '#reviews', class: 'to-reviews' }, stars(shown.rating));
  return h(
    'header',
    { class: 'head' },
    icon(shown, '7rem'),
    h(
      'div',
      {},
      h('h1', { lang: shown.locale }, shown.name),
      h('p', { class: 'tagline', lang: shown.locale }, shown.tagline),
      h('p', { class: 'row' }, h('span', { class: 'vendor-name' }, h('span', {}, `${t.by} `, vendor), verifiedMark(shown.vendor)), rating),
      h('ul', { class: 'row', 'aria-label': t.categories }, ...categories),
    ),
    h('p', { class: 'actions' }, external(shown.links.website_url, t.visitWebsite, { class: 'main' }, pictogram('outside')), external(shown.links.support_url, t.getHelp, { class: 'second' })),
  );
}

function news({ version, locale: of }: Schemas['Listing']): HTMLElement | null {
  if (!version.release_notes) return null;
  return h('section', {}, h('h2', {}, texts().newIn(version.number)), h('p', { class: 'small faint' }, day(version.published_at)), paragraphs(version.release_notes, of));
}

function aside({ permissions, links, locales, version, published_at: published, categories }: Schemas['Listing']): HTMLElement {
  const t = texts();
  const address = links.support_email && h('a', { href: `mailto:${links.support_email}` }, links.support_email);
  const addresses = [external(links.website_url, t.website), external(links.support_url, t.support), address, external(links.privacy_url, t.privacy), external(links.terms_url, t.terms)];
  const facts: [string, string | HTMLElement][] = [
    [t.version, version.number],
    [t.published, day(published)],
    [t.filter.category, categories.map(({ name }) => name).join(', ')],
    [t.languages, locales.map(languageName).join(', ')],
  ];
  return h(
    'aside',
    { class: 'stack', 'aria-label': t.details },
    h('section', { class: 'panel' }, h('h2', {}, t.details), h('dl', { class: 'facts' }, ...facts.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text)))), h('ul', { class: 'links' }, ...addresses.filter((one) => one instanceof Node).map((one) => h('li', {}, one)))),
    permissions.length > 0 && h('section', { class: 'panel' }, h('h2', {}, t.permissions), h('ul', { class: 'permissions' }, ...permissions.map(permission)), h('p', { class: 'small faint' }, t.permissionsNote)),
  );
}

/** A permission of the app as a sentence, and the partner's reason for it. */
function permission({ code, reason }: Schemas['Listing']['permissions'][number]): HTMLElement {
  const changes = code.endsWith(':write');
  return h('li', { class: changes ? 'changes' : '' }, pictogram(changes ? 'pencil' : 'eye'), h('div', {}, h('strong', {}, texts().permission(code)), reason && h('p', { class: 'small faint' }, reason)));
}

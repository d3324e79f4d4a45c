// One listing: description, images, data permissions, versions and customer reviews of the app.
import { dataOf, given, storefront, type Schemas } from '../api';
import { day, external, h, languageName, paragraphs } from '../dom';
import { card, icon, picture, stars, verifiedMark } from '../parts';
import { link, locale, type View } from '../router';
import { reviews } from './reviews';

const REASONS: Record<Schemas['RelatedReason'], string> = { SAME_CATEGORY: 'In the same category', SAME_VENDOR: 'By the same vendor', SIMILAR_TEXT: 'Similar' };

export const listing: View = async ({ name, signal }) => {
  const params = { path: { listing_slug: name }, query: given({ locale: locale() }) };
  const [shown, related, spread] = await Promise.all([
    dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}', { params, signal })),
    dataOf(storefront.GET('/v1/marketplace/public/listings/{listing_slug}/related', { params: { ...params, query: { ...params.query, limit: 6 } }, signal })),
    reviews(name, signal),
  ]);
  return h(
    'article',
    { class: 'stack' },
    head(shown),
    gallery(shown.media),
    h('div', { class: 'columns' }, h('div', { class: 'stack' }, h('section', {}, h('h2', {}, 'About'), paragraphs(shown.description, shown.locale)), news(shown), spread), aside(shown)),
    related.data.length > 0 && h('section', {}, h('h2', {}, 'You may also like'), h('ul', { class: 'cards' }, ...related.data.map(({ listing: other, reason }) => card(other, REASONS[reason])))),
  );
};

function head(shown: Schemas['Listing']): HTMLElement {
  const vendor = h('a', { href: link(`/partners/${shown.vendor.slug}`) }, shown.vendor.name);
  const categories = shown.categories.map(({ slug, name }) => h('li', {}, h('a', { class: 'badge', href: link(`/categories/${slug}`) }, name)));
  return h(
    'header',
    { class: 'head' },
    icon(shown),
    h('div', {}, h('h1', { lang: shown.locale }, shown.name), h('p', { class: 'tagline', lang: shown.locale }, shown.tagline), h('p', {}, 'by ', vendor, ' ', verifiedMark(shown.vendor)), h('p', {}, stars(shown.rating)), h('ul', { class: 'row' }, ...categories)),
  );
}

/** Images in a scrollable row. The row can have the focus, so that the arrow keys scroll it. */
function gallery(media: Schemas['ListingMedia'][]): HTMLElement | null {
  if (media.length === 0) return null;
  const figures = media.map(({ sources, alt_text, caption }) =>
    h('figure', {}, picture(sources, alt_text ?? caption ?? 'Image of the app', '(min-width: 48rem) 36rem, 85vw'), caption && h('figcaption', {}, caption)),
  );
  return h('section', { class: 'gallery', 'aria-label': 'Images', tabindex: 0 }, ...figures);
}

function news({ version, locale: of }: Schemas['Listing']): HTMLElement | null {
  if (!version.release_notes) return null;
  return h('section', {}, h('h2', {}, `New in ${version.number}`), h('p', { class: 'small faint' }, day(version.published_at)), paragraphs(version.release_notes, of));
}

function aside({ permissions, links, locales, version, published_at: published }: Schemas['Listing']): HTMLElement {
  const addresses = [
    external(links.website_url, 'Website'),
    external(links.support_url, 'Help'),
    links.support_email && h('a', { href: `mailto:${links.support_email}` }, links.support_email),
    external(links.privacy_url, 'Privacy policy'),
    external(links.terms_url, 'Terms of use'),
  ];
  const facts: [string, string | HTMLElement][] = [
    ['Version', version.number],
    ['Published', day(published)],
    ['Languages', locales.map(languageName).join(', ')],
  ];
  return h(
    'aside',
    { class: 'stack', 'aria-label': 'Details' },
    h('dl', { class: 'facts' }, ...facts.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text)))),
    permissions.length > 0 && h('section', {}, h('h2', {}, 'Permissions'), h('ul', { class: 'plain' }, ...permissions.map(({ code, reason }) => h('li', {}, h('code', {}, code), h('p', {}, reason))))),
    h('ul', { class: 'plain' }, ...addresses.filter((one) => one instanceof Node).map((one) => h('li', {}, one))),
  );
}

// A partner on the storefront: its published profile and its apps. A partner without a profile still shows its apps.
import { dataOf, given, Refusal, storefront, type Schemas } from '../api';
import { external, h, languageName, paragraphs } from '../dom';
import { locale, pageLanguage, texts } from '../language';
import { card, going, picture, stars, verifiedMark } from '../parts';
import { type View } from '../router';

export const vendor: View = async ({ name, signal }) => {
  const query = given({ locale: locale() });
  const ask = (cursor?: string) => dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...query, partner: name, sort: 'name', limit: 12, ...given({ cursor }) } }, signal }));
  const [page, apps] = await Promise.all([published(name, signal), ask()]);
  const known = page ?? apps.data[0]?.vendor;
  if (!known) throw new Refusal({ status: 404, title: texts().notFound, detail: texts().noVendor });
  return h(
    'article',
    { class: 'stack' },
    page ? head(page) : h('header', { class: 'head' }, h('div', {}, h('h1', { class: 'vendor-name' }, h('span', {}, known.name), verifiedMark(known)))),
    page && h('div', { class: 'columns' }, h('section', {}, h('h2', {}, texts().about), paragraphs(page.description, page.locale)), facts(page)),
    h('section', {}, h('h2', {}, texts().apps(apps.facets.total)), going(h('ul', { class: 'cards' }), apps, (one) => card(one), ask)),
  );
};

async function published(partner_slug: string, signal: AbortSignal): Promise<Schemas['Vendor'] | null> {
  try {
    return await dataOf(storefront.GET('/v1/marketplace/public/partners/{partner_slug}', { params: { path: { partner_slug }, query: given({ locale: locale() }) }, signal }));
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return null;
    throw error;
  }
}

function head(page: Schemas['Vendor']): HTMLElement {
  const of = (kind: Schemas['PartnerImageKind']) => page.imagery.find((image) => image.kind === kind);
  const [banner, logo] = [of('BANNER'), of('LOGO')];
  return h(
    'header',
    { class: 'vendor' },
    banner && picture(banner.sources, banner.alt_text ?? '', '(min-width: 88rem) 84rem, 100vw', { class: 'banner', loading: 'eager' }),
    h(
      'div',
      { class: 'head' },
      logo && picture(logo.sources, logo.alt_text ?? texts().logoOf(page.name), '7rem', { class: 'icon' }),
      h('div', {}, h('h1', { class: 'vendor-name' }, h('span', {}, page.name), verifiedMark(page)), h('p', { class: 'tagline', lang: page.locale }, page.tagline), h('p', {}, stars(page.rating))),
    ),
  );
}

function facts({ languages, regions, links }: Schemas['Vendor']): HTMLElement {
  const regionName = new Intl.DisplayNames([pageLanguage()], { type: 'region', fallback: 'code' });
  const t = texts();
  const lines: [string, string | HTMLElement | null][] = [
    [t.languages, languages.map(languageName).join(', ')],
    [t.regions, regions.map((code) => regionName.of(code) ?? code).join(', ')],
    [t.website, external(links.website_url, links.website_url?.replace(/^https?:\/\//, '') ?? '')],
  ];
  return h('aside', { 'aria-label': t.details }, h('section', { class: 'panel' }, h('h2', {}, t.details), h('dl', { class: 'facts' }, ...lines.filter(([, text]) => text).map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text))))));
}

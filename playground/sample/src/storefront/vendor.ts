// A partner on the storefront: its published profile and its apps. A partner without a profile still shows its apps.
import { dataOf, given, Refusal, storefront, type Schemas } from '../api';
import { count, external, h, languageName, paragraphs } from '../dom';
import { card, going, picture, stars, verifiedMark } from '../parts';
import { locale, type View } from '../router';

export const vendor: View = async ({ name, signal }) => {
  const query = given({ locale: locale() });
  const ask = (cursor?: string) => dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { ...query, partner: name, sort: 'name', limit: 12, ...given({ cursor }) } }, signal }));
  const [page, apps] = await Promise.all([published(name, signal), ask()]);
  const known = page ?? apps.data[0]?.vendor;
  if (!known) throw new Refusal({ status: 404, title: 'Not found', detail: 'The marketplace has no vendor with this name.' });
  return h(
    'article',
    { class: 'stack' },
    page ? head(page) : h('header', { class: 'head' }, h('div', {}, h('h1', {}, known.name), verifiedMark(known))),
    page && h('section', {}, h('h2', {}, 'About'), paragraphs(page.description, page.locale), facts(page)),
    h('section', {}, h('h2', {}, count(apps.facets.total, 'app')), going(h('ul', { class: 'cards' }), apps, (one) => card(one), ask)),
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
    banner && picture(banner.sources, banner.alt_text ?? '', '100vw', { class: 'banner' }),
    h(
      'div',
      { class: 'head' },
      logo && picture(logo.sources, logo.alt_text ?? `Logo of ${page.name}`, '6rem', { class: 'icon' }),
      h('div', {}, h('h1', {}, page.name, ' ', verifiedMark(page)), h('p', { class: 'tagline', lang: page.locale }, page.tagline), h('p', {}, stars(page.rating))),
    ),
  );
}

function facts({ languages, regions, links }: Schemas['Vendor']): HTMLElement {
  const regionName = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });
  const lines: [string, string | HTMLElement | null][] = [
    ['Languages', languages.map(languageName).join(', ')],
    ['Regions', regions.map((code) => regionName.of(code) ?? code).join(', ')],
    ['Website', external(links.website_url, links.website_url ?? '')],
  ];
  return h('dl', { class: 'facts' }, ...lines.filter(([, text]) => text).map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text))));
}

// The frame of the page, and the mapping of addresses to views.
import { dataOf, storefront } from './api';
import { list } from './board/list';
import { propose } from './board/propose';
import { request } from './board/request';
import { roadmap } from './board/roadmap';
import { signedIn } from './board/sign-in';
import { h, languageName } from './dom';
import { acting, broken, nothingHere } from './parts';
import { again, go, link, locale, start } from './router';
import { Session } from './session';
import { home } from './storefront/home';
import { category, collection } from './storefront/lists';
import { listing } from './storefront/listing';
import { search } from './storefront/search';
import { searchField } from './storefront/suggest';
import { vendor } from './storefront/vendor';

const { service } = (await (await fetch('/config.json')).json()) as { service: string };
const session = new Session(service);

const outlet = h('main', { id: 'main', tabindex: -1 });
const header = h('header', { class: 'top' });
document.body.append(h('a', { class: 'skip', href: '#main' }, 'Skip to the content'), header, outlet, footer());

const field = searchField();
const languages = localeChoice();
addEventListener('place', drawHeader);
addEventListener('session', drawHeader);
void offerLocales();

const board = { list: signedIn(session, list), roadmap: signedIn(session, roadmap), propose: signedIn(session, propose), request: signedIn(session, request) };
start(
  outlet,
  {
    '/': home,
    '/listings': search,
    '/listings/:name': listing,
    '/partners/:name': vendor,
    '/collections/:name': collection,
    '/categories/:name': category,
    '/board': board.list,
    '/board/roadmap': board.roadmap,
    '/board/new': board.propose,
    '/board/:name': board.request,
  },
  async () => nothingHere('This page does not exist.'),
  broken,
);

function drawHeader(): void {
  const onBoard = location.pathname.startsWith('/board');
  const entry = (path: string, text: string, here: boolean) => h('a', { href: link(path), 'aria-current': here && 'true' }, text);
  const links = h('nav', { 'aria-label': 'Sample' }, entry('/', 'Marketplace', !onBoard), entry('/board', 'Board', onBoard));
  const kept = header.contains(field);
  header.querySelector('nav')?.replaceWith(links);
  if (!kept) header.replaceChildren(h('a', { class: 'brand', href: link('/'), 'aria-label': 'Labs sample' }, h('img', { src: '/icon.svg', alt: '', width: 28, height: 28 }), h('span', {}, 'Labs sample')), links, field, languages, person());
  header.querySelector('.person')?.replaceWith(person());
  field.hidden = onBoard;
}

function person(): HTMLElement {
  const place = h('div', { class: 'person' });
  if (session.state.kind !== 'signed-in') return place;
  const out = h('button', { type: 'button', class: 'quiet' }, 'Sign out');
  out.addEventListener('click', () => acting(out, () => session.signOut().finally(again)));
  place.append(out);
  return place;
}

/** Select field for the locale. The locale is part of the address, so that a link shows the same texts to everyone. */
function localeChoice(): HTMLElement {
  const choice = h('select', { 'aria-label': 'Language of the texts' }, h('option', { value: '' }, 'Original language'));
  choice.addEventListener('change', () => {
    const query = new URLSearchParams(location.search);
    query.delete('locale');
    if (choice.value) query.set('locale', choice.value);
    go(`${location.pathname}${query.size > 0 ? `?${query}` : ''}`);
  });
  addEventListener('place', () => (choice.value = locale() ?? ''));
  return choice;
}

/** Adds the languages of all listings to the select field, from the facets of a search without filters. */
async function offerLocales(): Promise<void> {
  try {
    const { facets } = await dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { limit: 1 } } }));
    const select = languages as HTMLSelectElement;
    select.append(...facets.languages.map(({ locale: value }) => h('option', { value, lang: value }, languageName(value))));
    select.value = locale() ?? '';
  } catch {
    // The view reports the error; texts are shown in their original language.
  }
}

function footer(): HTMLElement {
  return h('footer', {}, h('p', { class: 'small faint' }, 'A sample application for the Labs API. ', h('a', { href: `${service}/reference` }, 'API reference'), ' ', h('a', { href: `${service}/` }, 'The service')));
}

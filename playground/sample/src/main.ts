// The frame of the page, and the mapping of addresses to views.
import { dataOf, storefront } from './api';
import { attribution } from './board/attribution';
import { list } from './board/list';
import { notifications } from './board/notifications';
import { propose } from './board/propose';
import { request } from './board/request';
import { roadmap } from './board/roadmap';
import { signedIn } from './board/sign-in';
import { loadUnread, unreadCount } from './board/unread';
import { h, languageName } from './dom';
import { browserLocale, chosenLocale, ORIGINAL, pageLanguage, texts } from './language';
import { acting, broken, nothingHere } from './parts';
import { pictogram } from './pictograms';
import { again, go, link, start } from './router';
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
const skip = h('a', { class: 'skip', href: '#main' });
const footer = h('footer', {});
document.body.append(skip, header, outlet, footer);

const field = searchField();
const languages = localeChoice();
addEventListener('place', drawFrame);
addEventListener('session', drawFrame);
void offerLocales();

const board = { notifications: signedIn(session, notifications), attribution: signedIn(session, attribution), list: signedIn(session, list), roadmap: signedIn(session, roadmap), propose: signedIn(session, propose), request: signedIn(session, request) };
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
    '/board/notifications': board.notifications,
    '/board/attribution': board.attribution,
    '/board/:name': board.request,
  },
  async () => nothingHere(texts().noPage),
  broken,
);

/** Draws the parts around the view, in the language of the page. */
function drawFrame(): void {
  const t = texts();
  document.documentElement.lang = pageLanguage();
  const onBoard = location.pathname.startsWith('/board');
  const entry = (path: string, text: string, here: boolean) => h('a', { href: link(path), 'aria-current': here && 'true' }, text);
  const links = h('nav', { 'aria-label': t.pages }, entry('/', t.marketplace, !onBoard), entry('/board', t.board, onBoard));
  const brand = h('a', { class: 'brand', href: link('/'), 'aria-label': 'Labs sample' }, h('img', { src: '/icon.svg', alt: '', width: 28, height: 28 }), h('span', {}, 'Labs sample'));
  if (!header.contains(field)) header.append(h('a', { class: 'brand' }), h('nav', {}), field, languages, h('div', { class: 'person' }));
  header.querySelector('.brand')?.replaceWith(brand);
  header.querySelector('nav')?.replaceWith(links);
  header.querySelector('.person')?.replaceWith(person());
  field.hidden = languages.hidden = onBoard;
  labelLanguages();
  skip.textContent = t.skip;
  footer.replaceChildren(h('p', { class: 'small faint' }, `${t.footer} `, h('a', { href: `${service}/reference` }, t.reference), ' ', h('a', { href: `${service}/` }, t.service)));
}

/** The bell with the number of unread notifications, and the button to sign out. */
function person(): HTMLElement {
  const place = h('div', { class: 'person' });
  if (session.state.kind !== 'signed-in') return place;
  const out = h('button', { type: 'button', class: 'quiet' }, texts().signOut);
  out.addEventListener('click', () => acting(out, () => session.signOut().finally(again)));
  const bell = h('a', { class: 'bell', href: link('/board/notifications') }, pictogram('bell'), h('span', { class: 'unseen' }, 'Notifications'), unreadCount());
  void loadUnread(session);
  place.append(bell, out);
  return place;
}

/** Select field for the locale. The locale is part of the address, so that a link shows the same texts to everyone. */
function localeChoice(): HTMLSelectElement {
  const choice = h('select', {}, h('option', { value: '' }), h('option', { value: ORIGINAL }));
  choice.addEventListener('change', () => {
    const query = new URLSearchParams(location.search);
    query.delete('locale');
    if (choice.value) query.set('locale', choice.value);
    go(`${location.pathname}${query.size > 0 ? `?${query}` : ''}`);
  });
  return choice;
}

function labelLanguages(): void {
  const [t, [own, original]] = [texts(), languages.options];
  languages.setAttribute('aria-label', t.language);
  if (own) own.textContent = t.browserLanguage(languageName(browserLocale().replace(/-.*/, '')));
  if (original) original.textContent = t.originalLanguage;
  languages.value = chosenLocale() ?? '';
}

/** Adds the languages of all listings to the select field, from the facets of a search without filters. */
async function offerLocales(): Promise<void> {
  try {
    const { facets } = await dataOf(storefront.GET('/v1/marketplace/public/listings', { params: { query: { limit: 1 } } }));
    languages.append(...facets.languages.map(({ locale: value }) => h('option', { value, lang: value }, languageName(value))));
    languages.value = chosenLocale() ?? '';
  } catch {
    // The view reports the error; texts are shown in the browser's language.
  }
}

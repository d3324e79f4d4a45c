// Routes of the page: each has a view, and internal links do not reload the page.
import { chosenLocale, texts } from './language';

/** The current address. `signal` cancels the requests of the view when the user navigates away. */
export interface Place {
  path: string;
  /** Value of `:name` in the route. */
  name: string;
  query: URLSearchParams;
  signal: AbortSignal;
}

export type View = (place: Place) => Promise<HTMLElement>;
type Query = Record<string, string | string[] | undefined>;

let routes: [RegExp, View][] = [];
let outlet: HTMLElement;
let missing: View;
let failed: (error: unknown) => HTMLElement;
let leaving = new AbortController();
let shown = '';
/** Address of the view that is shown or loading, without the fragment. */
let address = '';

/** Starts the router, which shows views in an element. In a route, `:name` matches one path segment. */
export function start(element: HTMLElement, views: Record<string, View>, none: View, broken: (error: unknown) => HTMLElement): void {
  routes = Object.entries(views).map(([path, view]) => [new RegExp(`^${path.replace(':name', '([\\w-]+)')}$`), view]);
  [outlet, missing, failed] = [element, none, broken];
  // A link to a place in the page also fires this event, and needs no new view.
  addEventListener('popstate', () => location.pathname + location.search !== address && void show());
  document.addEventListener('click', follow);
  void show();
}

/** Builds an address of the page that keeps the selected locale. It omits undefined and empty values. */
export function link(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, locale: chosenLocale() })) {
    for (const one of [value ?? []].flat()) if (one !== '') words.append(name, one);
  }
  return words.size > 0 ? `${path}?${words}` : path;
}

/** Navigates to an address of the page. */
export function go(address: string): void {
  if (address !== location.pathname + location.search) history.pushState(null, '', address);
  void show();
}

/** Reloads the current view. */
export function again(): void {
  void show();
}

function follow(event: MouseEvent): void {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;
  if (!anchor || !plain || anchor.origin !== location.origin || anchor.target || anchor.getAttribute('href')?.startsWith('#')) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}

/** Shows the view of the current address. The previous view stays visible until the new one is complete. */
async function show(): Promise<void> {
  leaving.abort();
  address = location.pathname + location.search;
  const { signal } = (leaving = new AbortController());
  outlet.setAttribute('aria-busy', 'true');
  outlet.dataset['loading'] = texts().loading;
  dispatchEvent(new Event('place'));
  const view = await made(signal);
  if (signal.aborted || !view) return;
  const focused = document.activeElement?.id;
  outlet.replaceChildren(view);
  outlet.removeAttribute('aria-busy');
  const heading = view.querySelector('h1');
  document.title = heading ? `${heading.textContent} · Marketplace sample` : 'Marketplace sample';
  settle(view, focused, heading);
}

/** Builds the view of the current address. Returns null if the user has navigated away. */
async function made(signal: AbortSignal): Promise<HTMLElement | null> {
  const [path, query] = [location.pathname, new URLSearchParams(location.search)];
  for (const [pattern, view] of routes) {
    const found = pattern.exec(path);
    if (!found) continue;
    try {
      return await view({ path, query, signal, name: found[1] ?? '' });
    } catch (error) {
      return signal.aborted ? null : failed(error);
    }
  }
  return missing({ path, query, signal, name: '' });
}

/** Moves the focus to the heading of a new page. If only the query has changed, the focus stays where it was. A narrow window may hide the current tab. */
function settle(view: HTMLElement, focused: string | undefined, heading: HTMLElement | null): void {
  const first = shown === '';
  const same = shown === location.pathname;
  shown = location.pathname;
  view.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  if (same) return void (focused && view.querySelector<HTMLElement>(`#${CSS.escape(focused)}`)?.focus({ preventScroll: true }));
  if (first) return;
  scrollTo(0, 0);
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

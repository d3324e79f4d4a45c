// Routes of the page: each has a view, and internal links do not reload the page.

/** Where the reader is. `signal` ends what the view began when the reader goes on. */
export interface Place {
  path: string;
  /** What stands for `:name` in the route. */
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

/** Begins to show views in an element. In a path, `:name` stands for one part of it. */
export function start(element: HTMLElement, views: Record<string, View>, none: View, broken: (error: unknown) => HTMLElement): void {
  routes = Object.entries(views).map(([path, view]) => [new RegExp(`^${path.replace(':name', '([\\w-]+)')}$`), view]);
  [outlet, missing, failed] = [element, none, broken];
  addEventListener('popstate', () => void show());
  document.addEventListener('click', follow);
  void show();
}

/** An address of the page. The reader's locale goes along; what is undefined or empty is left out. */
export function link(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, locale: locale() })) {
    for (const one of [value ?? []].flat()) if (one !== '') words.append(name, one);
  }
  return words.size > 0 ? `${path}?${words}` : path;
}

/** Goes to an address of the page. */
export function go(address: string): void {
  if (address !== location.pathname + location.search) history.pushState(null, '', address);
  void show();
}

/** Shows the present address anew. */
export function again(): void {
  void show();
}

/** The locale that the reader chose; undefined for each text in its own. */
export function locale(): string | undefined {
  return new URLSearchParams(location.search).get('locale') ?? undefined;
}

function follow(event: MouseEvent): void {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;
  if (!anchor || !plain || anchor.origin !== location.origin || anchor.target || anchor.getAttribute('href')?.startsWith('#')) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}

/** The former view stays until the next one is there, and goes on to be read. */
async function show(): Promise<void> {
  leaving.abort();
  const { signal } = (leaving = new AbortController());
  outlet.setAttribute('aria-busy', 'true');
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

/** The view of the present address; none where the reader went on meanwhile. */
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

/** On another page readers begin at its heading; on the same one, changed, they stay where they were. */
function settle(view: HTMLElement, focused: string | undefined, heading: HTMLElement | null): void {
  const first = shown === '';
  const same = shown === location.pathname;
  shown = location.pathname;
  if (same) return void (focused && view.querySelector<HTMLElement>(`#${CSS.escape(focused)}`)?.focus({ preventScroll: true }));
  if (first) return;
  scrollTo(0, 0);
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

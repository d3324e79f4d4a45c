// The search field with suggestions: a combobox as in the ARIA authoring practices. The focus stays in the field; arrow
// keys move the selection, Enter accepts it, Escape closes the list.
import { dataOf, given, storefront, type Schemas } from '../api';
import { h } from '../dom';
import { locale, texts } from '../language';
import { isAbort } from '../parts';
import { pictogram } from '../pictograms';
import { go, link } from '../router';

type Suggestion = Schemas['SearchSuggestion'];
const PAUSE_MS = 150;
const SHORTEST = 2;
/** Folder of the page of a suggestion. The service may add kinds; a kind without a folder is a text to search for. */
const FOLDERS: Record<string, string> = { CATEGORY: 'categories', VENDOR: 'partners', LISTING: 'listings', COLLECTION: 'collections' };

export function searchField(): HTMLFormElement {
  return new Field().form;
}

class Field {
  readonly #list = h('ul', { id: 'suggestions', role: 'listbox', hidden: true });
  readonly #input = h('input', {
    id: 'q',
    type: 'search',
    name: 'q',
    role: 'combobox',
    maxlength: 100,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'suggestions',
  });
  readonly #said = h('span', { class: 'unseen', role: 'status' });
  readonly #button = h('button', { type: 'submit' }, pictogram('search'));
  readonly form = h('form', { class: 'find', role: 'search' }, this.#input, this.#button, this.#list, this.#said);
  #suggestions: Suggestion[] = [];
  #chosen = -1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();

  constructor() {
    this.#input.addEventListener('input', () => this.#later());
    this.#input.addEventListener('keydown', (event) => this.#key(event));
    this.#input.addEventListener('blur', () => this.#close());
    this.form.addEventListener('submit', (event) => (event.preventDefault(), this.#search(this.#input.value)));
    addEventListener('place', () => {
      this.#close();
      this.#translate();
      this.#input.value = location.pathname === '/listings' ? (new URLSearchParams(location.search).get('q') ?? '') : '';
    });
  }

  #translate(): void {
    const { searchApps, suggestions, search } = texts();
    this.#input.placeholder = searchApps;
    this.#input.setAttribute('aria-label', searchApps);
    this.#list.setAttribute('aria-label', suggestions);
    this.#button.setAttribute('aria-label', search);
  }

  /** Requests suggestions when the user pauses typing. It cancels earlier requests. */
  #later(): void {
    this.#stop();
    const typed = this.#input.value.trim();
    if (typed.length < SHORTEST) return this.#close();
    this.#timer = setTimeout(() => void this.#ask(typed, this.#asking.signal), PAUSE_MS);
  }

  async #ask(q: string, signal: AbortSignal): Promise<void> {
    try {
      const { data } = await dataOf(storefront.GET('/v1/marketplace/public/search-suggestions', { params: { query: { q, ...given({ locale: locale() }) } }, signal }));
      if (!signal.aborted) this.#show(data);
    } catch (error) {
      // The search works without suggestions.
      if (!isAbort(error)) this.#close();
    }
  }

  #show(suggestions: Suggestion[]): void {
    this.#suggestions = suggestions;
    this.#list.replaceChildren(...suggestions.map((one, index) => this.#option(one, index)));
    this.#choose(-1);
    this.#open(suggestions.length > 0);
    this.#said.textContent = suggestions.length === 0 ? texts().noSuggestions : texts().manySuggestions(suggestions.length);
  }

  #option({ kind, text }: Suggestion, index: number): HTMLElement {
    const option = h('li', { id: `suggestion-${index}`, role: 'option', 'aria-selected': 'false' }, h('span', {}, text), h('span', { class: 'small faint' }, texts().kinds[kind]));
    // Keeps the focus in the field: mousedown accepts the selection before the field could lose focus.
    option.addEventListener('mousedown', (event) => (event.preventDefault(), this.#take(index)));
    return option;
  }

  #key(event: KeyboardEvent): void {
    const last = this.#suggestions.length - 1;
    const moves: Record<string, number> = { ArrowDown: this.#chosen >= last ? -1 : this.#chosen + 1, ArrowUp: this.#chosen < 0 ? last : this.#chosen - 1 };
    const move = moves[event.key];
    if (event.key === 'Escape' && !this.#list.hidden) this.#close();
    else if (event.key === 'Enter' && this.#chosen >= 0) this.#take(this.#chosen);
    else if (move !== undefined && last >= 0) this.#choose(move);
    else return;
    event.preventDefault();
  }

  /** Selects a suggestion. -1 selects none. */
  #choose(index: number): void {
    this.#chosen = index;
    if (index >= 0) this.#open(true);
    for (const [place, option] of [...this.#list.children].entries()) option.setAttribute('aria-selected', String(place === index));
    if (index < 0) return this.#input.removeAttribute('aria-activedescendant');
    this.#input.setAttribute('aria-activedescendant', `suggestion-${index}`);
    this.#list.children[index]?.scrollIntoView({ block: 'nearest' });
  }

  #take(index: number): void {
    const one = this.#suggestions[index];
    if (!one) return;
    const folder = FOLDERS[one.kind];
    if (!folder || !one.slug) return this.#search(one.text);
    this.#close();
    go(link(`/${folder}/${one.slug}`));
  }

  #search(text: string): void {
    this.#close();
    go(link('/listings', { q: text.trim() }));
  }

  #open(open: boolean): void {
    this.#list.hidden = !open;
    this.#input.setAttribute('aria-expanded', String(open));
  }

  #close(): void {
    this.#stop();
    this.#suggestions = [];
    this.#list.replaceChildren();
    this.#choose(-1);
    this.#open(false);
    this.#said.textContent = '';
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
    this.#asking = new AbortController();
  }
}

// The form to propose a feature request. While the user types the title, it shows similar requests, so that users vote
// instead of proposing a duplicate.
import { dataOf, type Schemas } from '../api';
import { count, h } from '../dom';
import { chosenLocale } from '../language';
import { acting, isAbort } from '../parts';
import { go, link, type Place } from '../router';
import { type Session } from '../session';
import { statusBadge, tabs, topicName } from './shared';

const PAUSE_MS = 300;
const SHORTEST = 3;

export async function propose(session: Session, { signal }: Place): Promise<HTMLElement> {
  const topics = await dataOf(session.api.GET('/v1/engagement/topics', { params: { query: { limit: 100 } }, signal }));
  const near = h('div', { class: 'near', 'aria-live': 'polite' });
  const title = h('input', { name: 'title', id: 'title', required: true, minlength: 5, maxlength: 150, autocomplete: 'off' });
  const body = h('textarea', { name: 'body', id: 'body', rows: 8, required: true, maxlength: 10_000 });
  const topic = h('select', { name: 'topic', id: 'topic' }, h('option', { value: '' }, 'No topic'), ...topics.data.map(({ uuid, names }) => h('option', { value: uuid }, topicName(names, chosenLocale()))));
  const button = h('button', { type: 'submit', class: 'main' }, 'Propose');
  watchTitle(session, title, near, signal);

  // Retries of the same text use the same idempotency key: a lost response does not create a second feature request.
  let key = crypto.randomUUID();
  const form = h(
    'form',
    { class: 'editor' },
    h('label', {}, 'Title', title),
    near,
    h('label', {}, 'Description', body),
    h('label', {}, 'Topic', topic),
    h('p', { class: 'small faint' }, 'You can use Markdown. All partners immediately see the request and the name of your company. Your vote is included.'),
    button,
  );
  form.addEventListener('input', () => (key = crypto.randomUUID()));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void acting(button, async () => {
      const made = await dataOf(session.api.POST('/v1/engagement/feature-requests', { params: { header: { 'Idempotency-Key': key } }, body: { title: title.value, body: body.value, topic_uuid: topic.value || null } }));
      go(link(`/board/${made.uuid}`));
    });
  });
  return h('div', { class: 'stack' }, h('h1', {}, 'Propose a feature'), tabs('new'), form);
}

/** Searches for similar requests when the user pauses typing. It ignores outdated responses. */
function watchTitle(session: Session, title: HTMLInputElement, near: HTMLElement, leaving: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  title.addEventListener('input', () => {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const text = title.value.trim();
    if (text.length < SHORTEST) return near.replaceChildren();
    timer = setTimeout(() => void show(text, AbortSignal.any([asking.signal, leaving])), PAUSE_MS);
  });
  async function show(text: string, signal: AbortSignal): Promise<void> {
    try {
      const { data } = await dataOf(session.api.GET('/v1/engagement/feature-requests:similar', { params: { query: { title: text, limit: 4 } }, signal }));
      near.replaceChildren(...(data.length > 0 ? [h('p', {}, h('strong', {}, 'Similar requests exist. Vote for one of them if it is the same.')), h('ul', {}, ...data.map(similar))] : []));
    } catch (error) {
      // The user can propose without the list of similar requests.
      if (!isAbort(error)) near.replaceChildren();
    }
  }
}

function similar({ feature_request: one, matched_title: matched }: Schemas['SimilarFeatureRequest']): HTMLElement {
  return h('li', {}, h('a', { href: link(`/board/${one.uuid}`) }, one.title), matched && h('span', { class: 'faint' }, ` (also proposed as “${matched}”)`), ' ', statusBadge(one.status), h('span', { class: 'small faint' }, ` ${count(one.votes, 'vote')}`));
}

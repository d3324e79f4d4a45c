// The user's notifications: status changes, merges and staff answers of requests that they proposed, voted for or follow.
import { dataOf, given, type Schemas } from '../api';
import { day, h, type Child } from '../dom';
import { acting, empty, going } from '../parts';
import { pictogram } from '../pictograms';
import { link, type Place } from '../router';
import { type Session } from '../session';
import { statusBadge, STATUSES, tabs } from './shared';
import { setUnread } from './unread';

type Notification = Schemas['BoardNotification'];
const BECAUSE: Record<Notification['because'][number], string> = { PROPOSED: 'you proposed it', VOTED: 'you voted for it', FOLLOWED: 'you follow it' };
const ICONS: Record<Notification['kind'], string> = { STATUS: 'flag', MERGE: 'merge', UNMERGE: 'merge', ANSWER: 'speech' };

export async function notifications(session: Session, { query, signal }: Place): Promise<HTMLElement> {
  const unread = query.get('show') === 'unread';
  const ask = (cursor?: string) => dataOf(session.api.GET('/v1/engagement/notifications', { params: { query: { limit: 20, ...given({ cursor, unread: unread || undefined }) } }, signal }));
  const found = await ask();
  const choice = (text: string, show: string, here: boolean) => h('li', {}, h('a', { class: here ? 'chip on' : 'chip', href: link('/board/notifications', { show }), 'aria-current': here && 'true' }, text));
  const list = h('ul', { class: 'notifications' });
  const nothing = empty(h('h2', {}, unread ? 'You have read everything' : 'No notifications'), 'Propose, vote for or follow a request. You then see its changes here.', h('a', { href: link('/board') }, 'Show the requests'));
  return h(
    'div',
    { class: 'stack' },
    h('h1', {}, 'Notifications'),
    tabs('notifications'),
    h('div', { class: 'bar' }, h('ul', { class: 'row', 'aria-label': 'Show' }, choice('All', '', !unread), choice('Unread', 'unread', unread)), found.data.length > 0 && makeReadAllButton(session, list)),
    found.data.length > 0 ? going(list, found, (one) => drawItem(session, one), ask) : nothing,
  );
}

function makeReadAllButton(session: Session, list: HTMLElement): HTMLElement {
  const button = h('button', { type: 'button' }, 'Mark all as read');
  button.addEventListener('click', () =>
    acting(button, async () => {
      await markRead(session, { all: true });
      for (const one of list.querySelectorAll('.is-unread')) one.classList.remove('is-unread');
      for (const mark of list.querySelectorAll('.mark')) mark.remove();
    }),
  );
  return button;
}

async function markRead(session: Session, body: Schemas['BoardNotificationsMarkRead']): Promise<void> {
  const { unread } = await dataOf(session.api.POST('/v1/engagement/notifications:mark-read', { params: { header: { 'Idempotency-Key': crypto.randomUUID() } }, body }));
  setUnread(unread);
}

function drawItem(session: Session, one: Notification): HTMLElement {
  const title = h('a', { href: link(`/board/${one.feature_request.uuid}`) }, one.feature_request.title);
  // Opening the request reads its notification. The page does not wait for the service.
  if (!one.read) title.addEventListener('click', () => void markRead(session, { notification_uuids: [one.uuid] }).catch(() => undefined));
  const text = one.note ?? one.excerpt;
  return h(
    'li',
    { class: one.read ? 'notification' : 'notification is-unread' },
    pictogram(ICONS[one.kind] ?? 'bell'),
    h(
      'div',
      {},
      h('p', {}, ...describe(one, title), !one.read && h('span', { class: 'mark' }, h('span', { class: 'unseen' }, 'Unread'))),
      text && h('p', { class: 'excerpt faint' }, text),
      h('p', { class: 'small faint' }, day(one.occurred_at), `. You see this because ${one.because.map((reason) => BECAUSE[reason]).join(' and ')}.`),
    ),
  );
}

/** Says what happened, with a link to the request. */
function describe({ kind, to_status: to, other_feature_request: other }: Notification, title: HTMLElement): Child[] {
  const target = other ? h('a', { href: link(`/board/${other.uuid}`) }, other.title) : 'another request';
  switch (kind) {
    case 'STATUS':
      return [title, ' is now ', to && to in STATUSES ? statusBadge(to) : 'changed', ' '];
    case 'MERGE':
      return [title, ' was merged into ', target, ' '];
    case 'UNMERGE':
      return [title, ' was separated from ', target, ' '];
    default:
      return ['Staff answered ', title, ' '];
  }
}

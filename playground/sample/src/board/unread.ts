// The number of unread notifications. Several places of the page show it.
import { dataOf, type Schemas } from '../api';
import { h } from '../dom';
import { type Session } from '../session';

/** Largest number that the page counts. With more, it shows this number and a plus sign. */
const MOST = 99;
let known = 0;
/** Number of changes. An answer to a request from before a change is outdated. */
let changes = 0;

/** An element with the number, which stays current. Empty without unread notifications. */
export function unreadCount(): HTMLElement {
  return draw(h('span', { class: 'unread-count' }));
}

/** Reads the number from the service. */
export async function loadUnread(session: Session): Promise<void> {
  const before = changes;
  try {
    const found: Schemas['BoardNotificationList'] & { unread?: number } = await dataOf(session.api.GET('/v1/engagement/notifications', { params: { query: { unread: true, limit: MOST + 1 } } }));
    // A service that counts them returns the number; otherwise the page counts the entries.
    if (changes === before) setUnread(found.unread ?? found.data.length);
  } catch {
    // The pages work without the number.
  }
}

/** Shows another number everywhere. */
export function setUnread(unread: number): void {
  known = unread;
  changes += 1;
  for (const place of document.querySelectorAll<HTMLElement>('.unread-count')) draw(place);
}

function draw(place: HTMLElement): HTMLElement {
  place.hidden = known === 0;
  place.replaceChildren(h('span', { 'aria-hidden': 'true' }, known > MOST ? `${MOST}+` : String(known)), h('span', { class: 'unseen' }, ` ${known > MOST ? `more than ${MOST}` : known} unread`));
  return place;
}

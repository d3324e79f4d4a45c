// The user's attribution: whether the board shows their name next to the company's name.
import { dataOf, type Schemas } from '../api';
import { h } from '../dom';
import { acting } from '../parts';
import { again, type Place } from '../router';
import { type Session } from '../session';
import { author, tabs } from './shared';

const PATH = '/v1/engagement/attribution';

export async function attribution(session: Session, { signal }: Place): Promise<HTMLElement> {
  const answered = await session.api.GET(PATH, { signal });
  const first = await dataOf(Promise.resolve(answered));
  let tag = answered.response.headers.get('ETag');
  const shown = h('p', { class: 'panel' });
  const said = h('p', { class: 'small faint', role: 'status' });
  const field: HTMLInputElement = h('input', { type: 'checkbox', role: 'switch', id: 'show-name', checked: first.show_name });
  const draw = (now: Schemas['BoardAttribution']) => {
    field.checked = now.show_name;
    shown.replaceChildren(h('span', { class: 'small faint' }, 'Other partners see: '), h('strong', {}, author({ company_name: now.company_name, person_name: now.show_name ? now.name : null })));
  };
  draw(first);
  const row = h('label', { class: 'switch' }, field, h('span', {}, 'Show my name next to the name of my company'));
  field.addEventListener('change', () => {
    const wanted = field.checked;
    void acting(row, async () => {
      // With If-Match, a change in another window is not overwritten.
      const put = await session.api.PUT(PATH, { params: { header: tag ? { 'If-Match': tag } : {} }, body: { show_name: wanted } }).finally(() => (field.checked = !wanted));
      if (put.response.status === 412) return again();
      const now = await dataOf(Promise.resolve(put));
      tag = put.response.headers.get('ETag');
      draw(now);
      said.textContent = 'Saved. The setting applies to everything that you have written.';
    });
  });
  return h('div', { class: 'stack' }, h('h1', {}, 'Your name on the board'), tabs('attribution'), h('div', { class: 'editor' }, shown, row, said, h('p', { class: 'small faint' }, 'The board always shows the name of your company. Votes are never shown to other users.')));
}


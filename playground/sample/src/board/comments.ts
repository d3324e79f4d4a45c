// The comments below a feature request. Answers from staff are marked; users can edit their own comments.
import { dataOf, given, type Schemas } from '../api';
import { day, h, safeHtml } from '../dom';
import { acting, going, type Page } from '../parts';
import { link } from '../router';
import { type Session } from '../session';
import { reportButton } from './report';
import { author } from './shared';

type Comment = Schemas['FeatureComment'];
const LONGEST = 5000;

export function comments(session: Session, request: Schemas['FeatureRequest'], first: Page<Comment>, signal: AbortSignal): HTMLElement {
  const ask = (cursor: string) => dataOf(session.api.GET('/v1/engagement/feature-requests/{request_uuid}/comments', { params: { path: { request_uuid: request.uuid }, query: given({ cursor }) }, signal }));
  const list = h('ul', { class: 'comments' });
  const shown = going(list, first, (one) => item(session, one), ask);
  return h('section', {}, h('h2', {}, 'Comments'), first.data.length === 0 && h('p', { class: 'faint none-yet' }, 'No comments yet.'), shown, adding(session, request, list));
}

/** The form for a new comment, or a note if comments are not allowed. */
function adding(session: Session, request: Schemas['FeatureRequest'], list: HTMLElement): HTMLElement {
  if (!request.allowed_actions.includes('comment')) return h('p', { class: 'note' }, request.locked ? 'Staff members locked the comments.' : 'You cannot comment on this request.');
  return editor('Add a comment', '', 'Comment', async (body, key) => {
    const params = { path: { request_uuid: request.uuid }, header: { 'Idempotency-Key': key } };
    const added = await dataOf(session.api.POST('/v1/engagement/feature-requests/{request_uuid}/comments', { params, body: { body } }));
    document.querySelector('.none-yet')?.remove();
    list.append(item(session, added));
  });
}

function item(session: Session, comment: Comment): HTMLElement {
  const place = h('li', { class: comment.is_answer ? 'comment answer' : 'comment' });
  draw(session, place, comment);
  return place;
}

function draw(session: Session, place: HTMLElement, comment: Comment): void {
  const { is_answer, written_by, removed, body_html: html, edited_at, from_merged } = comment;
  const who = is_answer ? 'Labs' : written_by ? author(written_by) : 'Unknown author';
  const edit = h('button', { type: 'button', class: 'quiet small', onclick: () => change(session, place, comment) }, 'Edit');
  place.replaceChildren(
    h('p', { class: 'small' }, h('strong', {}, who), ' ', is_answer && h('span', { class: 'badge good' }, 'Staff'), ' ', h('span', { class: 'faint' }, day(comment.created_at), edited_at && ', edited', from_merged && ', on a merged request')),
    removed || !html ? h('p', { class: 'faint' }, 'This comment was removed.') : safeHtml(html),
    h('div', { class: 'row comment-actions' }, comment.allowed_actions.includes('edit') && edit, comment.allowed_actions.includes('report') && reportButton(session, 'comment', comment.uuid)),
  );
}

/** Replaces a comment with a form until the user saves or cancels. */
function change(session: Session, place: HTMLElement, comment: Comment): void {
  const back = (now: Comment) => {
    draw(session, place, now);
    place.querySelector('button')?.focus();
  };
  const form = editor('Edit your comment', comment.body ?? '', 'Save', async (body) => back(await dataOf(session.api.PATCH('/v1/engagement/comments/{comment_uuid}', { params: { path: { comment_uuid: comment.uuid } }, body: { body } }))));
  form.append(h('button', { type: 'button', class: 'quiet', onclick: () => back(comment) }, 'Cancel'));
  place.replaceChildren(form);
  form.querySelector('textarea')?.focus();
}

/** A form with one text. Retries of the same text send the same idempotency key, so that no comment is created twice. */
function editor(label: string, text: string, verb: string, save: (body: string, key: string) => Promise<void>): HTMLFormElement {
  let key = crypto.randomUUID();
  const field = h('textarea', { rows: 4, required: true, maxlength: LONGEST }, text);
  const button = h('button', { type: 'submit', class: 'main' }, verb);
  // Changed text is a new comment, so it needs a new idempotency key.
  field.addEventListener('input', () => (key = crypto.randomUUID()));
  const form = h('form', { class: 'editor' }, h('label', {}, label, field), h('p', { class: 'small faint' }, 'You can use Markdown. All partners see the comment and the name of your company. ', h('a', { href: link('/board/attribution') }, 'Show or hide your name')), button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void acting(button, async () => {
      await save(field.value, key);
      field.value = '';
      key = crypto.randomUUID();
    });
  });
  return form;
}

// The report of a feature request or a comment: a dialog that asks for the reason.
import { dataOf, type Schemas } from '../api';
import { h } from '../dom';
import { acting, openDialog } from '../parts';
import { pictogram } from '../pictograms';
import { type Session } from '../session';

type Report = Schemas['BoardReportMake'];
const REASONS: Record<Report['reason'], string> = { SPAM: 'Advertising', ABUSIVE: 'Insults or hatred', OFF_TOPIC: 'Not related to the subject', PERSONAL_DATA: 'Personal data of another person', DUPLICATE: 'Repeats another request or comment', OTHER: 'Another reason' };
const OUTCOMES: Record<string, string> = { OPEN: 'Moderators will check it.', UPHELD: 'Moderators found the report justified.', DISMISSED: 'Moderators found the report not justified.' };

/** A button that reports a request or a comment. After the report, it shows the outcome instead. */
export function reportButton(session: Session, what: 'request' | 'comment', uuid: string): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet small' }, pictogram('flag'), what === 'request' ? 'Report this request' : 'Report');
  button.addEventListener('click', () =>
    openDialog(
      makeDialog(what, async (body, key) => {
        const header = { 'Idempotency-Key': key };
        const sent =
          what === 'request'
            ? session.api.POST('/v1/engagement/feature-requests/{request_uuid}:report', { params: { path: { request_uuid: uuid }, header }, body })
            : session.api.POST('/v1/engagement/comments/{comment_uuid}:report', { params: { path: { comment_uuid: uuid }, header }, body });
        const { outcome } = await dataOf<Schemas['BoardReportReceipt']>(sent);
        const said = h('p', { class: 'small faint reported', role: 'status', tabindex: -1 }, `You reported this. ${OUTCOMES[outcome] ?? ''}`);
        button.replaceWith(said);
        return said;
      }),
    ),
  );
  return button;
}

/** The form. Retries of the same report send the same idempotency key. */
function makeDialog(what: 'request' | 'comment', send: (body: Report, key: string) => Promise<HTMLElement>): HTMLDialogElement {
  let key = crypto.randomUUID();
  const choices = Object.entries(REASONS).map(([value, text]) => h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'reason', value, required: true }), text));
  const note = h('textarea', { name: 'note', rows: 3, maxlength: 1000 });
  const optional = h('span', { class: 'faint' }, ' (optional)');
  const submit = h('button', { type: 'submit', class: 'main' }, 'Send report');
  const form = h('form', { class: 'editor' }, h('h2', { id: 'report-title' }, `Report this ${what}`), h('p', { class: 'small faint' }, 'Only moderators see your report. Other partners cannot see who made it.'), h('fieldset', {}, h('legend', {}, 'Reason'), ...choices), h('label', {}, h('span', {}, 'Note for the moderators', optional), note));
  const shown: HTMLDialogElement = h('dialog', { class: 'sheet', 'aria-labelledby': 'report-title' }, form);
  form.append(h('div', { class: 'row' }, submit, h('button', { type: 'button', onclick: () => shown.close() }, 'Cancel')));
  form.addEventListener('input', () => {
    key = crypto.randomUUID();
    // The service requires a note for another reason.
    note.required = new FormData(form).get('reason') === 'OTHER';
    optional.hidden = note.required;
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void acting(submit, async () => {
      const reason = String(new FormData(form).get('reason')) as Report['reason'];
      const said = await send({ reason, ...(note.value.trim() ? { note: note.value.trim() } : {}) }, key);
      shown.close();
      said.focus();
    });
  });
  return shown;
}

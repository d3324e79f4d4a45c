// The sign-in view. Only signed-in partners can use the board, including to read it.
import { Unreachable } from '../api';
import { h } from '../dom';
import { acting, refusal } from '../parts';
import { again, type Place, type View } from '../router';
import { type Session } from '../session';

type BoardView = (session: Session, place: Place) => Promise<HTMLElement>;

/** A view for those who are signed in; all others get the sign-in in its place. */
export function signedIn(session: Session, view: BoardView): View {
  return async (place) => {
    try {
      await session.resume();
    } catch (error) {
      if (error instanceof Unreachable) return closed(session, error);
      throw error;
    }
    if (session.state.kind === 'signed-in') return view(session, place);
    return door(session);
  };
}

function door(session: Session): HTMLElement {
  const { state } = session;
  const notice = state.kind === 'signed-out' ? state.notice : undefined;
  const how = 'It is for people of partners: sign in as one of them. With the sample data, their e-mail addresses and passwords stand in sign-ins.txt.';
  return h('div', { class: 'narrow' }, h('h1', {}, 'The board of partners'), h('p', {}, how), notice && h('p', { class: 'note', role: 'status' }, notice), state.kind === 'code' ? codeForm(session) : passwordForm(session), h('p', { class: 'small faint' }, `You sign in at ${session.base} itself. The token stays in this page's memory.`));
}

function passwordForm(session: Session): HTMLElement {
  const email = h('input', { type: 'email', id: 'email', required: true, autocomplete: 'username' });
  const password = h('input', { type: 'password', id: 'password', required: true, autocomplete: 'current-password' });
  return form('Sign in', [h('label', {}, 'E-mail', email), h('label', {}, 'Password', password)], () => session.signIn(email.value, password.value));
}

function codeForm(session: Session): HTMLElement {
  const code = h('input', { id: 'code', required: true, autocomplete: 'one-time-code', autofocus: true, maxlength: 32 });
  const back = h('button', { type: 'button', class: 'quiet', onclick: () => (session.forget(), again()) }, 'Start again');
  const made = form('Confirm', [h('label', {}, 'Code of your authenticator, or a recovery code', code)], () => session.verify(code.value));
  made.append(back);
  return made;
}

function form(verb: string, fields: HTMLElement[], act: () => Promise<void>): HTMLElement {
  const button = h('button', { type: 'submit', class: 'main' }, verb);
  const made = h('form', { class: 'editor' }, ...fields, button);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    void acting(button, async () => {
      await act();
      again();
    });
  });
  return made;
}

/** A browser does not tell whether nobody answered or the answer was not for this page: both are named. */
function closed(session: Session, error: unknown): HTMLElement {
  return h(
    'div',
    { class: 'narrow' },
    h('h1', {}, 'The board cannot be reached'),
    refusal(error),
    h('p', {}, `Either no service runs at ${session.base}, or it does not let pages of ${location.origin} in. Start it with`),
    h('pre', {}, `./run --cors-origins ${location.origin}`),
    h('p', {}, h('button', { type: 'button', onclick: again }, 'Try again')),
  );
}

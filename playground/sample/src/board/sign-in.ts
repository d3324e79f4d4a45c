// The sign-in view. Only signed-in partners can use the board, including to read it.
import { Unreachable } from '../api';
import { h } from '../dom';
import { acting, refusal } from '../parts';
import { again, type Place, type View } from '../router';
import { type Session } from '../session';

type BoardView = (session: Session, place: Place) => Promise<HTMLElement>;

/** Wraps a view so that users who are not signed in see the sign-in form. */
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
  const how = 'The board is for users of partners. If the service has sample data, sign-ins.txt lists e-mail addresses and passwords.';
  return h('div', { class: 'narrow' }, h('h1', {}, 'Partner board'), h('p', {}, how), notice && h('p', { class: 'note', role: 'status' }, notice), state.kind === 'code' ? codeForm(session) : passwordForm(session), h('p', { class: 'small faint' }, `The page sends the sign-in to ${session.base} and keeps the token only in memory.`));
}

function passwordForm(session: Session): HTMLElement {
  const email = h('input', { type: 'email', id: 'email', required: true, autocomplete: 'username' });
  const password = h('input', { type: 'password', id: 'password', required: true, autocomplete: 'current-password' });
  return form('Sign in', [h('label', {}, 'E-mail', email), h('label', {}, 'Password', password)], () => session.signIn(email.value, password.value));
}

function codeForm(session: Session): HTMLElement {
  const code = h('input', { id: 'code', required: true, autocomplete: 'one-time-code', autofocus: true, maxlength: 32 });
  const back = h('button', { type: 'button', class: 'quiet', onclick: () => (session.forget(), again()) }, 'Start again');
  const made = form('Confirm', [h('label', {}, 'Code from your authenticator app, or a recovery code', code)], () => session.verify(code.value));
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

/** Names both possible causes, because a browser does not distinguish a missing response from a forbidden origin. */
function closed(session: Session, error: unknown): HTMLElement {
  return h(
    'div',
    { class: 'narrow' },
    h('h1', {}, 'The board is not reachable'),
    refusal(error),
    h('p', {}, `Either no service runs at ${session.base}, or it does not allow the origin ${location.origin}. Start it with:`),
    h('pre', {}, `./run --cors-origins ${location.origin}`),
    h('p', {}, h('button', { type: 'button', onclick: again }, 'Try again')),
  );
}

import { lazy, Suspense, useSyncExternalStore } from 'react';
import type { Session } from './session';
import { CodeForm, PasswordForm } from './SignIn';
import { Welcome } from './Welcome';

/** The editor is most of the page's weight: it is fetched while the person signs in. */
const loading = () => import('./Console');
const Console = lazy(loading);

/** One of four faces, by where the person stands. */
export function App({ session }: { session: Session }) {
  const state = useSyncExternalStore(session.subscribe, session.state);
  switch (state.kind) {
    case 'starting':
      return <Waiting text="Looking for your session…" />;
    case 'signed-out':
      void loading();
      return <PasswordForm session={session} notice={state.notice} />;
    case 'code':
      return <CodeForm session={session} methods={state.methods} />;
    case 'not-staff':
      return <NotStaff session={session} principalType={state.principalType} />;
    case 'signed-in':
      return (
        <Suspense fallback={<Waiting text="Opening the editor…" />}>
          <Console session={session} person={state.person} />
        </Suspense>
      );
  }
}

function Waiting({ text }: { text: string }) {
  return (
    <Welcome title="Labs playground">
      <p role="status">{text}</p>
    </Welcome>
  );
}

function NotStaff({ session, principalType }: { session: Session; principalType: string }) {
  const kind = principalType === 'PARTNER_USER' ? 'a partner’s account' : 'not a staff account';
  return (
    <Welcome title="This page is for staff">
      <p role="alert">
        You are signed in with {kind}. The playground asks questions across all partners, so it opens for staff accounts only. Everything that
        your account may do is in the <a href="/reference">API reference</a>.
      </p>
      <button type="button" className="main" onClick={() => void session.signOut()}>
        Sign out and use another account
      </button>
    </Welcome>
  );
}

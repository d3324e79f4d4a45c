import { useSyncExternalStore } from 'react';
import { Desk, loadEditor } from './Desk';
import type { Session } from './session';
import { CodeForm, PasswordForm } from './SignIn';
import { Welcome } from './Welcome';

/** Shows the view for the state of the sign-in. */
export function App({ session }: { session: Session }) {
  const state = useSyncExternalStore(session.subscribe, session.state);
  switch (state.kind) {
    case 'starting':
      return <Waiting text="Restoring your session…" />;
    case 'signed-out':
      void loadEditor();
      return <PasswordForm session={session} notice={state.notice} />;
    case 'code':
      return <CodeForm session={session} methods={state.methods} />;
    case 'not-staff':
      return <NotStaff session={session} principalType={state.principalType} />;
    case 'signed-in':
      return <Desk session={session} person={state.person} />;
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
  const kind = principalType === 'PARTNER_USER' ? 'a partner account' : 'an account that is not a staff account';
  return (
    <Welcome title="This page is for staff">
      <p role="alert">
        You are signed in with {kind}. The playground queries data of all partners, so only staff members can use it. The
        {' '}<a href="/reference">API reference</a> describes the operations for your account.
      </p>
      <button type="button" className="main" onClick={() => void session.signOut()}>
        Sign out and use another account
      </button>
    </Welcome>
  );
}

import { useState, type FormEvent, type ReactNode } from 'react';
import type { Problem } from './answer';
import type { Session } from './session';
import { ResetForm } from './ResetForm';
import { Welcome } from './Welcome';

/** First step of the sign-in: e-mail address and password. */
export function PasswordForm({ session, notice }: { session: Session; notice?: Problem }) {
  const [resetting, setResetting] = useState<string | null>(null);
  if (resetting !== null) return <ResetForm email={resetting} onBack={() => setResetting(null)} />;
  return (
    <Welcome title="Sign in to the playground">
      <p>For staff members. Every operation under a <code>labs.admin</code> scope writes an audit record.</p>
      <Form notice={notice} submit={(form) => session.signIn(valueOf(form, 'email'), valueOf(form, 'password'))} action="Sign in">
        <label htmlFor="email">E-mail</label>
        <input id="email" name="email" type="email" autoComplete="username" required autoFocus maxLength={254} />
        <label htmlFor="password">Password</label>
        <input id="password" name="password" type="password" autoComplete="current-password" required maxLength={256} />
      </Form>
      <button type="button" className="quiet" onClick={() => setResetting(document.querySelector<HTMLInputElement>('#email')?.value ?? '')}>
        Forgot your password?
      </button>
    </Welcome>
  );
}

/** Second step of the sign-in, mandatory for staff members. */
export function CodeForm({ session, methods }: { session: Session; methods: string[] }) {
  const recovery = methods.includes('RECOVERY_CODE');
  return (
    <Welcome title="Second factor">
      <p id="code-help">
        Enter the six-digit code from your authenticator app.
        {recovery ? ' You can also use a recovery code, each only once.' : ''}
      </p>
      <Form submit={(form) => session.verify(valueOf(form, 'code').replace(/\s/g, ''))} action="Verify">
        <label htmlFor="code">Code</label>
        <input
          id="code"
          name="code"
          aria-describedby="code-help"
          autoComplete="one-time-code"
          inputMode={recovery ? 'text' : 'numeric'}
          autoCapitalize="characters"
          spellCheck={false}
          required
          autoFocus
          maxLength={64}
        />
      </Form>
      <button type="button" className="quiet" onClick={() => session.startAgain()}>
        Start again
      </button>
    </Welcome>
  );
}

interface FormProps {
  submit: (form: FormData) => Promise<Problem | null>;
  action: string;
  notice?: Problem;
  children: ReactNode;
}

/** A form with one button. It shows the problem that `submit` returns. */
export function Form({ submit, action, notice, children }: FormProps) {
  const [problem, setProblem] = useState(notice);
  const [busy, setBusy] = useState(false);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    setBusy(true);
    const refusal = await submit(new FormData(form));
    setBusy(false);
    setProblem(refusal ?? undefined);
    if (refusal) form.querySelector<HTMLInputElement>('input:last-of-type')?.select();
  }

  return (
    <form onSubmit={(event) => void onSubmit(event)}>
      {children}
      <div role="alert">{problem && <Refusal problem={problem} />}</div>
      <button type="submit" className="main" aria-disabled={busy}>
        {busy ? 'Please wait…' : action}
      </button>
    </form>
  );
}

function Refusal({ problem }: { problem: Problem }) {
  return (
    <div className="refusal">
      <strong>{problem.title}</strong>
      {problem.detail && <p>{problem.detail}</p>}
      {problem.retry_after !== undefined && <p>Try again in {problem.retry_after} seconds.</p>}
      {problem.errors?.map((error) => <p key={`${error.pointer ?? error.parameter}${error.code}`}>{error.message}</p>)}
    </div>
  );
}

/** Returns a text field of a submitted form. */
export function valueOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

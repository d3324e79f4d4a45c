import { useState } from 'react';
import { ask, isRecord, numberOf, post } from './answer';
import { Form, valueOf } from './SignIn';
import { Welcome } from './Welcome';

const RESETS = '/v1/auth/password-resets';

/** Requests an e-mail with a link to set a new password. The text is the same whether the address has an account or not. */
export function ResetForm({ email, onBack }: { email: string; onBack: () => void }) {
  const [minutes, setMinutes] = useState<number | null>(null);

  async function request(form: FormData) {
    const answer = await ask(RESETS, post({ email: valueOf(form, 'email') }));
    if (answer.problem) return answer.problem;
    const seconds = numberOf(isRecord(answer.body) ? answer.body.expires_in : null) ?? 3600;
    setMinutes(Math.round(seconds / 60));
    return null;
  }

  const back = (
    <button type="button" className="quiet" onClick={onBack}>
      Back to sign-in
    </button>
  );
  if (minutes !== null) {
    return (
      <Welcome title="Check your e-mail">
        <p role="status">
          If the address has an account, an e-mail with a link to set a new password is on its way. The link is valid for {minutes} minutes. Your current
          password stays valid until you set a new one.
        </p>
        {back}
      </Welcome>
    );
  }
  return (
    <Welcome title="Reset your password">
      <p>Enter your e-mail address. You receive a link to set a new password.</p>
      <Form submit={request} action="Send the link">
        <label htmlFor="email">E-mail</label>
        <input id="email" name="email" type="email" autoComplete="username" required autoFocus maxLength={254} defaultValue={email} />
      </Form>
      {back}
    </Welcome>
  );
}

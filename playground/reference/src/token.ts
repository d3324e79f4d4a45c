// The access token for trying out operations. It is kept only in this variable and in the input field: not in browser
// storage, not in a URL, and not in the displayed request.
let held = '';

export function token(): string {
  return held;
}

export function rememberToken(value: string): void {
  held = value.trim().replace(/^Bearer\s+/i, '');
}

/** Writes the token into the token field of a form, if the form has one. */
export function fillToken(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('[data-in=token]');
  if (field) field.value = held;
}

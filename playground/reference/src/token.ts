// The access token that is tried with. It lives in this variable and in the field that it was typed into, and nowhere else:
// not in a store of the browser, not in an address, and not in what the page shows of a request.
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

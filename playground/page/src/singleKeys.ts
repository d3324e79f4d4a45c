const OFF = 'labs:no-single-keys';

/** Returns whether the user turned off shortcuts of a single key (WCAG 2.1.4). */
export function areSingleKeysOff(): boolean {
  return localStorage.getItem(OFF) !== null;
}

export function turnSingleKeys(off: boolean): void {
  if (off) localStorage.setItem(OFF, 'true');
  else localStorage.removeItem(OFF);
}

/** Returns whether a key press is part of a text or of a combination, or belongs to a dialog. */
export function isSingleKeyTaken(event: KeyboardEvent): boolean {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable], .monaco-editor') !== null;
  return event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping || document.querySelector('dialog[open]') !== null;
}

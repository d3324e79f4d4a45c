import { useEffect, useId, useRef, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { CrossIcon } from './icons';

/** A modal dialog. The element with `data-first` gets the focus. Escape, the close button and a click outside close the dialog. */
export function Sheet({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }, []);
  return createPortal(
    <dialog
      ref={dialog}
      className="sheet"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      // The editor must not handle keys that are typed here.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="content">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon" aria-label="Close" onClick={onClose}>
            <CrossIcon />
          </button>
        </header>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}

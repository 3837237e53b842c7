// A native modal dialog: it keeps the focus inside, closes with Esc and restores the focus.

import { type ReactNode, useEffect, useId, useRef } from 'react';

export function Dialog(props: { title: string; onClose(): void; children: ReactNode; wide?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} className={props.wide ? 'wide' : ''} aria-labelledby={id} onClose={props.onClose}>
      <header className="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={() => element.current?.close()}>
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

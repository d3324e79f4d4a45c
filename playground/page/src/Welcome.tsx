import type { ReactNode } from 'react';

/** Layout of all views before the editor. */
export function Welcome({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="welcome">
      <div className="card">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="40" height="40" />
        <h1>{title}</h1>
        {children}
      </div>
      <p className="links">
        <a href="/">Labs</a> <a href="/reference">API reference</a>
      </p>
    </main>
  );
}

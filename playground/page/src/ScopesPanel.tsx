import { useState } from 'react';
import type { GraphiQLPlugin } from '@graphiql/react';
import { ScopesIcon } from './icons';
import { domainsOf, reaches, type Domain, type Scope } from './scopes';
import { useWorkbench } from './workbench';

export const SCOPES_PLUGIN: GraphiQLPlugin = { title: 'Your scopes', icon: ScopesIcon, content: ScopesPanel };

const SCOPE = /^[a-z-]+(\.[a-z-]+)+(:write)?$/;

/** The scopes of the token by domain, and a check whether the token grants a given scope. */
function ScopesPanel() {
  const { scopes } = useWorkbench().person;
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const domains = domainsOf(scopes.filter((scope) => scope.includes(wanted)));
  return (
    <section className="panel" aria-labelledby="scopes-title">
      <h2 id="scopes-title">Your scopes</h2>
      <p>
        Your token has {scopes.length === 1 ? 'one scope' : `${scopes.length} scopes`}. A scope includes all scopes below it. Only scopes with write
        access allow changes.
      </p>
      <label htmlFor="scope-search">Search, or enter the full name of a scope</label>
      <input id="scope-search" type="search" value={search} onChange={(event) => setSearch(event.target.value)} placeholder="labs.admin.audit" spellCheck={false} />
      <p role="status" className="verdict">
        {verdict(scopes, wanted, domains)}
      </p>
      {domains.map((domain) => (
        <DomainList key={domain.name} domain={domain} />
      ))}
    </section>
  );
}

function DomainList({ domain }: { domain: Domain }) {
  return (
    <>
      <h3>{domain.name}</h3>
      <ul className="scopes" aria-label={domain.name}>
        {domain.scopes.map((scope) => (
          <li key={scope.text} title={scope.text}>
            <code>{shortened(scope, domain.name)}</code>
            <span className={scope.write ? 'badge write' : 'badge'}>{scope.write ? 'read and write' : 'read'}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function shortened(scope: Scope, domain: string): string {
  return scope.base === domain ? 'all scopes' : scope.base.slice(domain.length + 1);
}

function verdict(scopes: string[], wanted: string, found: Domain[]): string {
  if (SCOPE.test(wanted)) return reaches(scopes, wanted) ? `Your token includes ${wanted}.` : `Your token does not include ${wanted}.`;
  return wanted !== '' && found.length === 0 ? 'Your token has no scope with this name.' : '';
}

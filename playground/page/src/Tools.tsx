import { useState, type ReactNode } from 'react';
import { pick, ToolbarButton, useGraphiQL } from '@graphiql/react';
import { LinkIcon } from './icons';
import { linkOf } from './link';
import { Sheet } from './Sheet';

/** The toolbar: the library's tools, and the link to the query. */
export function Tools({ prettify, copy, merge }: { prettify: ReactNode; copy: ReactNode; merge: ReactNode }) {
  return (
    <>
      {prettify}
      {merge}
      {copy}
      <LinkTool />
    </>
  );
}

function LinkTool() {
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const [link, setLink] = useState('');
  function show() {
    const query = queryEditor?.getValue() ?? '';
    if (query.trim() !== '') setLink(linkOf({ query, variables: variableEditor?.getValue() ?? '' }, location.href));
  }
  return (
    <>
      <ToolbarButton label="Link to this query" onClick={show}>
        <LinkIcon />
      </ToolbarButton>
      {link && <LinkSheet link={link} onClose={() => setLink('')} />}
    </>
  );
}

function LinkSheet({ link, onClose }: { link: string; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(link);
    setCopied(true);
  }
  return (
    <Sheet title="Link to this query" onClose={onClose}>
      <p>The link opens the query with its variables. It does not run the query and contains no response. Recipients sign in with their own account.</p>
      <input aria-label="Link" readOnly data-first value={link} onFocus={(event) => event.currentTarget.select()} />
      {/* Browsers provide no clipboard to pages from another host over plain HTTP. */}
      {'clipboard' in navigator && (
        <p className="actions">
          <button type="button" className="main" onClick={() => void copy()}>
            {copied ? 'Copied' : 'Copy'}
          </button>
        </p>
      )}
    </Sheet>
  );
}

import { useState, type ReactNode } from 'react';
import { pick, ToolbarButton, useGraphiQL } from '@graphiql/react';
import { LinkIcon } from './icons';
import { linkOf } from './link';
import { Sheet } from './Sheet';

/** Beside the editor: the library's own tools, and the link to the question. */
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
      <ToolbarButton label="Link to this question" onClick={show}>
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
    <Sheet title="Link to this question" onClose={onClose}>
      <p>Whoever opens it signs in as themselves and sees the question with its variables. It does not run by itself, and carries no answer.</p>
      <input aria-label="Link" readOnly data-first value={link} onFocus={(event) => event.currentTarget.select()} />
      {/* There is no clipboard on a page that came over plain HTTP from elsewhere. */}
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

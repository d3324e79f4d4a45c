import { useEffect, useMemo, useState } from 'react';
import type { Answer } from './answer';
import { addressOf, picturesOf, type Picture } from './pictures';
import { useWorkbench } from './workbench';

/** The images of the submissions in a response. */
export function Pictures({ answer }: { answer: Answer }) {
  const pictures = useMemo(() => picturesOf(answer.body), [answer]);
  if (pictures.length === 0) return null;
  return (
    <section className="pictures" aria-label="Images of the submission">
      {pictures.map((picture) => (
        <Shown key={addressOf(picture)} picture={picture} />
      ))}
    </section>
  );
}

type Bytes = { kind: 'coming' } | { kind: 'here'; url: string } | { kind: 'refused'; why: string };

function Shown({ picture }: { picture: Picture }) {
  const bytes = useBytes(addressOf(picture));
  const { kind = 'Image', alt, caption } = picture;
  return (
    <figure>
      {bytes.kind === 'here' && (
        <a href={bytes.url} target="_blank" rel="noopener" title="Open in a new tab">
          <img src={bytes.url} alt={alt ?? `${kind} without alternative text`} />
        </a>
      )}
      {bytes.kind === 'coming' && <p>Loading…</p>}
      {bytes.kind === 'refused' && <p role="alert">{bytes.why}</p>}
      <figcaption>
        <span className="badge">{kind}</span> {caption}
      </figcaption>
    </figure>
  );
}

/** Loads the bytes into an object URL, and revokes the URL when the image is removed. */
function useBytes(address: string): Bytes {
  const { session } = useWorkbench();
  const [bytes, setBytes] = useState<Bytes>({ kind: 'coming' });
  useEffect(() => {
    let url: string | undefined;
    let gone = false;
    void session.file(address).then(({ body, problem }) => {
      if (gone) return;
      if (body instanceof Blob && body.type.startsWith('image/')) {
        url = URL.createObjectURL(body);
        setBytes({ kind: 'here', url });
      } else setBytes({ kind: 'refused', why: problem?.detail ?? problem?.title ?? 'The response is not an image.' });
    });
    return () => {
      gone = true;
      if (url) URL.revokeObjectURL(url);
    };
  }, [session, address]);
  return bytes;
}

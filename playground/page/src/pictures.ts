import { isRecord, textOf } from './answer';

/** An image of a submission. */
export interface Picture {
  submission: string;
  uuid: string;
  /** ICON, BANNER or SCREENSHOT. */
  kind?: string;
  alt?: string;
  caption?: string;
}

/** Maximum number of images per response. A submission has no more, and every request writes an audit record. */
export const MOST_PICTURES = 24;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the images of all submissions in a response, regardless of aliases. The address of an image consists of the `uuid` of the
 * submission and the `uuid` of the image, so the query must select both.
 */
export function picturesOf(body: unknown): Picture[] {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data) : [];
  const pictures = data.flatMap((field) => (isRecord(field) ? ofSubmission(field) : []));
  const seen = new Set<string>();
  return pictures.filter((picture) => !seen.has(addressOf(picture)) && seen.add(addressOf(picture))).slice(0, MOST_PICTURES);
}

/** Returns the address of the bytes, in a size for display instead of the original. */
export function addressOf({ submission, uuid }: Picture): string {
  return `/v1/marketplace/internal/submissions/${submission}/media/${uuid}/content?variant=LARGE`;
}

function ofSubmission(field: Record<string, unknown>): Picture[] {
  const { submitted } = field;
  const submission = uuidOf(field.uuid);
  if (!submission || !isRecord(submitted) || !Array.isArray(submitted.media)) return [];
  return submitted.media.filter(isRecord).flatMap((picture) => {
    const uuid = uuidOf(picture.uuid);
    return uuid ? [{ submission, uuid, kind: textOf(picture.kind), alt: textOf(picture.alt_text), caption: textOf(picture.caption) }] : [];
  });
}

function uuidOf(value: unknown): string | undefined {
  return typeof value === 'string' && UUID.test(value) ? value : undefined;
}

import { isRecord, textOf } from './answer';

/** A picture as it was handed in with a submission. */
export interface Picture {
  submission: string;
  uuid: string;
  /** What it is for: ICON, BANNER or SCREENSHOT. */
  kind?: string;
  alt?: string;
  caption?: string;
}

/** The most that are fetched for one answer. A submission has no more, and each is a read that the audit log records. */
export const MOST_PICTURES = 24;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The pictures of the submissions in an answer, whatever their fields are called there: each is asked for by the `uuid` of
 * the submission and its own. A question that leaves one of them out has none.
 */
export function picturesOf(body: unknown): Picture[] {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data) : [];
  const pictures = data.flatMap((field) => (isRecord(field) ? ofSubmission(field) : []));
  const seen = new Set<string>();
  return pictures.filter((picture) => !seen.has(addressOf(picture)) && seen.add(addressOf(picture))).slice(0, MOST_PICTURES);
}

/** Where its bytes are: the size for reading, not the original. */
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

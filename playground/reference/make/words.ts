// Texts that several fragments share.
import type { Audience, Operation } from './contract';

export const AUDIENCES: Record<Audience, { title: string; about: string }> = {
  partner: { title: 'Partner', about: 'For users and machine clients of a partner.' },
  storefront: { title: 'Storefront', about: 'For storefronts that show the marketplace to customers.' },
  staff: { title: 'Staff', about: 'For staff members and internal machine clients.' },
  public: { title: 'No token', about: 'For everyone: registration, sign-in and published content.' },
};

export const AUDIENCE_ORDER: Audience[] = ['partner', 'storefront', 'staff', 'public'];

/** The credential that an operation requires, in a few words. */
export function accessWords({ access, scope }: Operation): string {
  switch (access) {
    case 'scope': return scope ?? '';
    case 'any': return 'any valid token';
    case 'none': return 'no token';
    case 'cookie': return 'the refresh cookie';
    case 'client': return 'client id and secret';
  }
}

/** Converts the name of a group or resource to a heading. */
export function titled(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const STATUS_WORDS: Record<string, string> = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 206: 'Partial Content', 304: 'Not Modified', 308: 'Permanent Redirect',
  400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable',
  409: 'Conflict', 410: 'Gone', 412: 'Precondition Failed', 413: 'Content Too Large', 415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable', 422: 'Unprocessable Content', 429: 'Too Many Requests', 500: 'Internal Server Error', 503: 'Service Unavailable',
};

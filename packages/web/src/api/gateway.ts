import { createClient, type MediaView } from '@plugboard/client';
import { type Transfer, transferFile } from './transfer.ts';

/** The client for the gateway that served the page. `url` is empty, so every request has the page's own origin. */
export const gateway = createClient({
  url: '',
  fetch: (path, init) =>
    fetch(path, { credentials: 'same-origin', cache: 'no-store', redirect: 'error', ...init }),
});

export const login = (code: string): Promise<void> =>
  gateway.request('POST', '/api/login', { body: { code } });
export const logout = (): Promise<void> => gateway.request('POST', '/api/logout');

/**
 * The request body is the file itself: the gateway refuses form types. `transfer` sends `application/octet-stream` when
 * `file.type` is empty.
 */
export function uploadFile(sessionId: string, file: File, options: Transfer): Promise<MediaView> {
  const query = new URLSearchParams({ session: sessionId, name: file.name || 'pasted' });
  return transferFile(`/api/media?${query}`, file, options) as Promise<MediaView>;
}

import type { Clock } from '../../clock.ts';
import { MediaTooLargeError } from '../../media/media-store.ts';
import { FileUnavailableError, type IncomingFile } from '../channel.ts';
import type { SlackCalls } from './calls.ts';
import { openRequest } from './http.ts';
import { type Json, recordAt, textAt } from './json.ts';
import { problemOf, SlackCallError } from './problems.ts';

export interface DownloadOptions {
  readonly calls: SlackCalls;
  readonly token: string;
  readonly api: string;
  readonly mediaBytes: number;
  readonly clock: Clock;
  /** Aborted when the channel stops. */
  readonly signal: AbortSignal;
}

/** Longest time of one download. */
const DOWNLOAD_MS = 5 * 60_000;

const ASKS_LOGIN = 'Slack does not let the app read it: the scope files:read may be missing.';

/** Files of a message. Iterating `bytes` downloads a file. */
export function incomingFiles(files: readonly Json[], options: DownloadOptions): IncomingFile[] {
  return files.map((file) => {
    const type = textAt(file, 'mimetype');
    const name = textAt(file, 'name') ?? textAt(file, 'title') ?? String(file.id ?? 'file');
    return { name, ...(type === undefined ? {} : { type }), bytes: downloadFile(file, options) };
  });
}

async function* downloadFile(given: Json, options: DownloadOptions): AsyncGenerator<Uint8Array> {
  const file = await wholeFile(given, options.calls);
  if (file.mode === 'tombstone' || file.mode === 'hidden_by_limit')
    throw new FileUnavailableError('It is no longer on Slack.');
  if (file.mode === 'external') throw new FileUnavailableError('It is not on Slack.');
  if (Number(file.size) > options.mediaBytes) throw new MediaTooLargeError(options.mediaBytes);
  const address = textAt(file, 'url_private_download') ?? textAt(file, 'url_private');
  if (address === undefined || !isOfSlack(address, options.api))
    throw new FileUnavailableError('Slack gave no address for it.');
  yield* readAddress(address, textAt(file, 'mimetype'), options);
}

/** Events of shared channels carry the file id alone, with `file_access: check_file_info`. */
async function wholeFile(file: Json, calls: SlackCalls): Promise<Json> {
  if (file.file_access !== 'check_file_info') return file;
  try {
    return recordAt(await calls.call('files.info', { file: file.id }), 'file');
  } catch (error) {
    if (error instanceof SlackCallError && error.problem === 'never')
      throw new FileUnavailableError(error.message);
    throw error;
  }
}

/** The bot token is sent to `api` and to hosts below `slack.com` only. */
function isOfSlack(address: string, api: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, origin } = new URL(address);
  if (origin === new URL(api).origin) return true;
  return protocol === 'https:' && /(^|\.)slack(-gov)?\.com$/.test(hostname);
}

async function* readAddress(
  address: string,
  mimetype: string | undefined,
  { token, clock, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array> {
  const control = new AbortController();
  const abort = (): void => control.abort();
  signal.addEventListener('abort', abort);
  const cancel = clock.after(DOWNLOAD_MS, abort);
  try {
    const headers = { authorization: `Bearer ${token}` };
    const response = await openRequest(address, { method: 'GET', headers, signal: control.signal });
    const { statusCode: status = 0 } = response;
    // Without `files:read` Slack answers 200 with a login page in HTML, or redirects to that page.
    const isPage = /^text\/html/.test(response.headers['content-type'] ?? '') && mimetype !== 'text/html';
    const isGone = [401, 403, 404, 410].includes(status);
    if (status !== 200 || isPage) response.destroy();
    if ((status >= 300 && status < 400) || (status === 200 && isPage))
      throw new FileUnavailableError(ASKS_LOGIN);
    if (isGone) throw new FileUnavailableError(`Slack answered ${status}.`);
    if (status !== 200) throw new Error(`Slack answered ${status} to a download.`);
    yield* response;
  } catch (error) {
    throw error instanceof FileUnavailableError ? error : problemOf(error, 'a download');
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Attachment } from '@plugboard/host';
import type { Outgoing, SendContext, Sent } from '../channel.ts';
import type { Attempt } from './attempts.ts';
import type { SlackCalls } from './calls.ts';
import { textAt } from './json.ts';
import { messageOf } from './message.ts';
import { readPlace } from './place.ts';
import { SlackCallError } from './problems.ts';

interface FileMessage {
  readonly place: string;
  readonly body: Outgoing;
  readonly context: SendContext;
  readonly attempt: Attempt;
}

interface Uploaded {
  readonly id: string;
  readonly title: string;
}

/** Sends files and text as one message. Only `files.completeUploadExternal` shows them; the uploads before may be retried. */
export async function sendFiles(
  calls: SlackCalls,
  { place, body, context: { signal }, attempt }: FileMessage,
): Promise<Sent> {
  const files: Uploaded[] = [];
  const lines: string[] = [];
  for (const file of body.media) {
    const uploaded = await uploadFile(calls, file, signal).catch(asNotSent);
    if (typeof uploaded === 'string') lines.push(uploaded);
    else files.push(uploaded);
  }
  const text = [body.text, ...lines].filter((line) => line !== '').join('\n');
  const { text: comment } = messageOf({ kind: body.kind, text, media: [] });
  const { channel, thread } = readPlace(place);
  const thread_ts = thread === undefined ? {} : { thread_ts: thread };
  if (files.length === 0) {
    const posted = await calls.call('chat.postMessage', { channel, ...thread_ts, text: comment }, signal);
    const platformId = textAt(posted, 'ts');
    return platformId === undefined ? {} : { platformId };
  }
  attempt.files = files.map(({ id }) => id);
  await calls.call(
    'files.completeUploadExternal',
    { channel_id: channel, ...thread_ts, files, ...(comment === '' ? {} : { initial_comment: comment }) },
    signal,
  );
  // The answer does not name the `ts` of the message.
  return {};
}

/** Uploads a file. Returns a line instead for an empty file, which Slack refuses, and for one on another server. */
async function uploadFile(
  calls: SlackCalls,
  { path, url, name }: Attachment,
  signal: AbortSignal,
): Promise<Uploaded | string> {
  if (path === undefined && /^https?:/i.test(url ?? '')) return `📎 ${url}`;
  if (path === undefined) throw new SlackCallError('never', 'A file has no path.', {});
  const { size } = await stat(path);
  const title = name ?? basename(path);
  if (size === 0) return `📎 ${title} (empty)`;
  const begun = await calls.call('files.getUploadURLExternal', { filename: title, length: size }, signal);
  const [id, address] = [textAt(begun, 'file_id'), textAt(begun, 'upload_url')];
  if (id === undefined || address === undefined)
    throw new SlackCallError('later', 'Slack gave no address for an upload.', {});
  await calls.upload(address, { path, size }, signal);
  return { id, title };
}

/** An upload is not visible yet: `unknown` becomes `later`. */
function asNotSent(error: unknown): never {
  if (error instanceof SlackCallError && error.problem === 'unknown')
    throw new SlackCallError('later', error.message, {}, error.word);
  throw error;
}

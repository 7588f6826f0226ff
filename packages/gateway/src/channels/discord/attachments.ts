import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { APIAttachment } from '@discordjs/core';
import { reasonOf } from '@plugboard/protocol';
import type { Inbound, IncomingFile } from '../channel.ts';
import type { HeardMessage } from './inbound.ts';

/** Most attempts of one download. */
const MOST_ATTEMPTS = 3;

const DOWNLOAD_MS = 120_000;

/** Downloads the files of one message. Each call of `receive` needs fresh streams. */
export interface Downloads {
  /** The message with its files; after `MOST_ATTEMPTS` failures, a file is named in the text. */
  next(): Inbound;
}

interface DownloadOptions {
  readonly mediaBytes: number;
  readonly signal: AbortSignal;
}

export function createDownloads(
  { inbound, attachments }: HeardMessage,
  { mediaBytes, signal }: DownloadOptions,
): Downloads {
  const failed = new Map<string, { readonly reason: string; readonly times: number }>();
  const open = (attachment: APIAttachment): IncomingFile => ({
    name: attachment.filename,
    ...(attachment.content_type === undefined ? {} : { type: attachment.content_type }),
    bytes: readAttachment(attachment, signal, ({ isFinal, reason }) => {
      const times = isFinal ? MOST_ATTEMPTS : (failed.get(attachment.id)?.times ?? 0) + 1;
      failed.set(attachment.id, { reason, times });
    }),
  });
  return {
    next() {
      const files: IncomingFile[] = [];
      const lines = [inbound.text];
      for (const attachment of attachments) {
        const problem = problemOf(attachment, mediaBytes, failed.get(attachment.id));
        if (problem === undefined) files.push(open(attachment));
        else lines.push(`[${attachment.filename} was left out: ${problem}]`);
      }
      const text = lines.filter((line) => line !== '').join('\n');
      return { ...inbound, text, ...(files.length === 0 ? {} : { files }) };
    },
  };
}

function problemOf(
  { size }: APIAttachment,
  mediaBytes: number,
  failure: { readonly reason: string; readonly times: number } | undefined,
): string | undefined {
  if (size > mediaBytes) return `it has ${size} bytes, and ${mediaBytes} are allowed.`;
  if (failure === undefined || failure.times < MOST_ATTEMPTS) return undefined;
  return `it could not be downloaded: ${failure.reason}`;
}

interface DownloadFailure {
  /** Another attempt would fail, too. */
  readonly isFinal: boolean;
  readonly reason: string;
}

async function* readAttachment(
  { url }: APIAttachment,
  stop: AbortSignal,
  onFailure: (failure: DownloadFailure) => void,
): AsyncIterable<Uint8Array> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(DOWNLOAD_MS)]);
  try {
    const response = await get(url, signal);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) {
      response.destroy();
      onFailure({
        isFinal: statusCode >= 400 && statusCode < 500,
        reason: `Discord answered ${statusCode}.`,
      });
      throw new Error(`A file of a message could not be downloaded: Discord answered ${statusCode}.`);
    }
    yield* response as AsyncIterable<Uint8Array>;
  } catch (error) {
    // `url` is signed: it must not be in an error.
    const reason = reasonOf(error).replaceAll(url, '[address]');
    if (!/Discord answered/.test(reason)) onFailure({ isFinal: false, reason });
    throw new Error(reason);
  }
}

/** Follows no redirects. `url` comes from Discord, never from the text of a person. */
async function get(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, { agent: false, signal });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  request.on('error', () => {});
  return response;
}

import { request } from 'node:http';
import { SendError } from '../../src/channels/channel.ts';

/**
 * Asks the chat platform for something. What is thrown says how sure we are: without a connection nothing was sent, with
 * one it may have been, and an answer is an answer.
 */
export async function callChat(
  url: string,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { status, text } = await exchange(`${url}${path}`, body, signal);
  if (status === 200) return JSON.parse(text) as Record<string, unknown>;
  throw problemOf(status, JSON.parse(text) as { retryAfter?: number; global?: boolean });
}

function problemOf(
  status: number,
  { retryAfter, global }: { retryAfter?: number; global?: boolean },
): SendError {
  const message = `The platform says ${status}.`;
  if (status === 429) {
    const afterMs = (retryAfter ?? 1) * 1000;
    return new SendError('later', message, { afterMs, scope: global === true ? 'channel' : 'place' });
  }
  if (status === 401) return new SendError('never', message, { stopsChannel: true });
  return new SendError(status >= 500 ? 'unknown' : 'never', message);
}

function exchange(
  url: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  let connected = false;
  const asked = request(
    url,
    { method: body === undefined ? 'GET' : 'POST', agent: false, signal },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', fail);
    },
  );
  const fail = (cause: Error): void =>
    reject(new SendError(connected ? 'unknown' : 'later', `No answer: ${cause.message}`, { cause }));
  asked.on('socket', (socket) => socket.once('connect', () => (connected = true)));
  asked.on('error', fail);
  asked.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

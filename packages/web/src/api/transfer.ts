import { createNetworkError, createRefusal } from '@plugboard/client';

/** Abort signal and progress callback of one upload. */
export interface Transfer {
  readonly signal: AbortSignal;
  /** Called with the number of bytes that were sent. */
  onSent(bytes: number): void;
}

/** An upload is aborted after 60 s without progress, or without an answer once all bytes were sent. */
const STALL = 60_000;

/**
 * Posts a file and resolves to the parsed answer. Uses `XMLHttpRequest`, because `fetch` reports no upload progress.
 */
export async function transferFile(path: string, file: File, options: Transfer): Promise<unknown> {
  options.signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const answered = answerTo(request, options);
  request.open('POST', path);
  request.responseType = 'json';
  request.setRequestHeader('content-type', file.type || 'application/octet-stream');
  request.send(file);
  await answered;
  const { status, response } = request;
  if (status < 200 || status > 299) throw createRefusal(status, response);
  return response;
}

/** Resolves at the `load` event, for every HTTP status; rejects on network errors, aborts and stalls. */
function answerTo(request: XMLHttpRequest, { signal, onSent }: Transfer): Promise<void> {
  const over = new AbortController();
  return new Promise((resolve, reject) => {
    const stall = (): void => {
      reject(createNetworkError('The upload stands still.'));
      request.abort();
    };
    let timer = setTimeout(stall, STALL);
    request.upload.addEventListener('progress', ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(stall, STALL);
      onSent(loaded);
    });
    request.addEventListener('load', () => resolve());
    request.addEventListener('error', () => reject(createNetworkError()));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => {
      clearTimeout(timer);
      over.abort();
    });
    signal.addEventListener('abort', () => request.abort(), { signal: over.signal });
  });
}

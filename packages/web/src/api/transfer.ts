import { refusal, unreached } from './request.ts';

/** What the sender of a file hands in, and is told. */
export interface Transfer {
  readonly signal: AbortSignal;
  /** How many bytes have left. */
  onSent(bytes: number): void;
}

/** So long without a byte moving, or an answer once all have gone: nobody takes them. */
const STALL = 60_000;

/** Posts a file and gives the answer. Not by fetch, which cannot tell how far it is. */
export async function transfer(path: string, file: File, options: Transfer): Promise<unknown> {
  options.signal.throwIfAborted();
  const request = new XMLHttpRequest();
  const answered = answerTo(request, options);
  request.open('POST', path);
  request.responseType = 'json';
  request.setRequestHeader('content-type', file.type || 'application/octet-stream');
  request.send(file);
  await answered;
  const { status, response } = request;
  if (status < 200 || status > 299) throw refusal(status, response);
  return response;
}

/** Settles with an answer, whatever it says; rejects when there will be none. */
function answerTo(request: XMLHttpRequest, { signal, onSent }: Transfer): Promise<void> {
  const over = new AbortController();
  return new Promise((resolve, reject) => {
    const stall = (): void => {
      reject(unreached('The upload stands still.'));
      request.abort();
    };
    let timer = setTimeout(stall, STALL);
    request.upload.addEventListener('progress', ({ loaded }) => {
      clearTimeout(timer);
      timer = setTimeout(stall, STALL);
      onSent(loaded);
    });
    request.addEventListener('load', () => resolve());
    request.addEventListener('error', () => reject(unreached()));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => {
      clearTimeout(timer);
      over.abort();
    });
    signal.addEventListener('abort', () => request.abort(), { signal: over.signal });
  });
}

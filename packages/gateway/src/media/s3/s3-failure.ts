import { MediaUnavailableError } from '../media-error.ts';
import { textIn } from './xml.ts';

/** A refusal of the server, as data; the caller decides what it means. */
export class S3Failure extends Error {
  readonly status: number;
  /** `Code` of the answer, as in `SlowDown`; empty when it has none. */
  readonly reason: string;
  readonly serverTime: number | undefined;

  constructor(status: number, reason: string, serverTime?: number) {
    super(`${status}${reason === '' ? '' : ` ${reason}`}`);
    this.name = 'S3Failure';
    this.status = status;
    this.reason = reason;
    this.serverTime = serverTime;
  }
}

/** Refusals that the same request can be spared later. */
const PASSING: ReadonlySet<string> = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
]);

/** Whether the same request may succeed later. An error without a status is one of the network. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Failure)) return !(error instanceof MediaUnavailableError);
  return PASSING.has(error.reason) || [408, 429].includes(error.status) || error.status >= 500;
}

/** Reads a refusal. The answer to a HEAD has no body, and so no reason. */
export async function readFailure(response: Response): Promise<S3Failure> {
  const text = (await response.text().catch(() => '')).slice(0, 10_000);
  return failureIn(text, response.status, Date.parse(response.headers.get('date') ?? ''));
}

/** The refusal in a body. `CompleteMultipartUpload` may answer with status 200 and a refusal. */
export function failureIn(text: string, status: number, date = Number.NaN): S3Failure {
  const told = Date.parse(textIn(text, 'ServerTime') ?? '');
  const time = Number.isNaN(told) ? date : told;
  return new S3Failure(status, textIn(text, 'Code') ?? '', Number.isNaN(time) ? undefined : time);
}

interface Place {
  readonly place: string;
  readonly bucket: string;
}

const KEYS = 'check media.s3.access_key and media.s3.secret_key';

const SENTENCES: Readonly<Record<string, string>> = {
  SignatureDoesNotMatch: `refuses the secret key: ${KEYS}`,
  InvalidAccessKeyId: `does not know the access key: ${KEYS}`,
  AccessDenied: 'refuses these keys: they need the right to put, get, list and delete objects in the bucket',
  AuthorizationHeaderMalformed: 'has another region: check media.s3.region',
  PermanentRedirect: 'is elsewhere: check media.s3.endpoint and media.s3.region',
  RequestTimeTooSkewed: 'refuses the time of this machine: set its clock',
  NoSuchBucket: 'has no such bucket: make it, or correct media.s3.bucket',
};

/** The error for the operator. */
export function unavailable({ place, bucket }: Place, error: unknown): MediaUnavailableError {
  if (error instanceof MediaUnavailableError) return error;
  if (!(error instanceof S3Failure)) {
    const sentence = `The media store ${place} does not answer: ${networkReason(error)}. Check media.s3.endpoint.`;
    return new MediaUnavailableError(sentence, error);
  }
  const words = SENTENCES[error.reason] ?? BY_STATUS[error.status];
  if (words !== undefined)
    return new MediaUnavailableError(
      `The media store ${place} ${words} (bucket "${bucket}", ${error.message}).`,
      error,
    );
  return new MediaUnavailableError(`The media store ${place} refused a request: ${error.message}.`, error);
}

/** For answers without a code. */
const BY_STATUS: Readonly<Record<number, string>> = {
  301: SENTENCES.PermanentRedirect ?? '',
  307: SENTENCES.PermanentRedirect ?? '',
  401: `refuses the keys: ${KEYS}`,
  403: `refuses the keys: ${KEYS}`,
};

function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name cannot be resolved';
  return (typeof message === 'string' && message !== '' ? message : String(code ?? error)).replace(/\.$/, '');
}

/** A file exceeds a size limit. `setting` raises the limit. */
export class MediaTooLargeError extends Error {
  readonly code = 'too-large';
  readonly limit: number;
  readonly setting: string;

  constructor(limit: number, setting = 'server.media_bytes') {
    // People read this sentence; they can change no other setting than the operator of their own gateway.
    super(
      setting === 'server.media_bytes'
        ? `The file is larger than ${limit} bytes.`
        : `The file is larger than ${limit} bytes. The operator can have larger files kept elsewhere: setting "${setting}".`,
    );
    this.name = 'MediaTooLargeError';
    this.limit = limit;
    this.setting = setting;
  }
}

/** Bytes of files cannot be stored or read now. The message is for the operator: it names the place, and what to do. */
export class MediaUnavailableError extends Error {
  readonly code = 'media-unavailable';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'MediaUnavailableError';
  }
}

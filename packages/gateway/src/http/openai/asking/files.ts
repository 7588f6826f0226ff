import type { Attachment } from '@plugboard/host';
import type { Session } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import { MediaTooLargeError } from '../../../media/media-store.ts';
import type { Part } from '../conversation/part.ts';
import { OpenaiProblem } from '../problem.ts';

const MOST_FILES = 20;

/** Stores the files of a message, because agents are given paths. */
export async function keepFiles(
  gateway: Gateway,
  session: Session,
  files: readonly Part[],
): Promise<readonly Attachment[]> {
  if (files.length > MOST_FILES) {
    throw new OpenaiProblem('invalid', `A message can have ${MOST_FILES} files at most.`, {
      code: 'invalid_value',
    });
  }
  const kept: Attachment[] = [];
  for (const file of files) {
    if (file.kind === 'link') kept.push({ kind: file.of, url: file.url, ...nameField(file.name) });
    if (file.kind === 'file') kept.push(await keepFile(gateway, session, file));
  }
  return kept;
}

async function keepFile(
  { media }: Gateway,
  session: Session,
  { name, type, base64 }: Extract<Part, { kind: 'file' }>,
): Promise<Attachment> {
  try {
    const given = type === undefined ? {} : { type };
    return media.attachment(await media.add(session.id, { name, ...given, bytes: decodeBase64(base64) }));
  } catch (error) {
    if (!(error instanceof MediaTooLargeError)) throw error;
    throw new OpenaiProblem('too-large', error.message, { code: 'file_too_large' });
  }
}

async function* decodeBase64(base64: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(base64, 'base64');
}

function nameField(name: string | undefined): { name?: string } {
  return name === undefined ? {} : { name };
}

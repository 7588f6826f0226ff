import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '../env.ts';
import { decodeUtf8 } from '../files/encoding.ts';
import { editFile } from '../terminal/editor.ts';

/** Lets a person change a text in their editor. The file is theirs alone, and gone afterwards. */
export async function editText(env: Env, cwd: string, text: string): Promise<string> {
  const directory = mkdtempSync(join(env.variables.TMPDIR || tmpdir(), 'nib-edit-'));
  const file = join(directory, 'record.json');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    await editFile(env, cwd, file);
    return decodeUtf8(readFileSync(file), 'The text that your editor saved');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

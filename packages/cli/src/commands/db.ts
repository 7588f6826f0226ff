import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import type { BackedUp } from '../gateway/backup.ts';
import { findGateway, request } from '../gateway/client.ts';
import { loadConfig } from '../gateway/config.ts';
import { readInstance } from '../gateway/instance.ts';
import type { CopiedMedia, OnProgress } from '../gateway/media-copy.ts';
import { configFile, placeOf, refuseFile } from '../gateway/place.ts';
import type { Restored } from '../gateway/restore.ts';
import { sizeText } from '../screen/size.ts';
import { createSpinner } from '../screen/spinner.ts';
import { isSystemError, systemProblem } from '../system-problem.ts';

interface DbOptions {
  readonly config?: string;
  readonly data?: string;
  readonly force?: boolean;
  readonly media: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard db backup before-upgrade.db             also while the gateway runs
  plugboard db backup words.db --no-media           without files that people sent and agents made
  plugboard db restore before-upgrade.db            only while it does not run
  plugboard db restore before-upgrade.db --force    in place of what is there, which is kept beside

Files are copied into FILE.media, which belongs to FILE: keep both together.`;

/** `plugboard db`: copies of everything the gateway knows. */
export function addDb(program: Command): void {
  const db = program.command('db').description('Back up and restore what the gateway keeps.');
  db.addHelpText('afterAll', EXAMPLES);
  placed(
    db
      .command('backup <file>')
      .description('Copy what was said, and files, to a new place, while the gateway goes on.'),
  ).action(async (file: string, options: DbOptions) => {
    const done = await watched((onProgress) => backup(file, options, onProgress));
    tell(options, backupJson(file, done), backupLines(file, done));
  });
  placed(db.command('restore <file>').description('Put a copy in the place of what is there.'))
    .option('--force', 'also when something is there; it is kept beside')
    .action(async (file: string, options: DbOptions) => {
      const done = await watched((onProgress) => restore(file, options, onProgress));
      tell(options, { file, ...restoreJson(done) }, restoreLines(file, done));
    });
}

function placed(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the configuration of the gateway')
    .option('--data <dir>', 'its data directory')
    .option('--no-media', 'leave out files that people sent and agents made')
    .option('--json', 'print what was done as JSON');
}

/** Shows on a terminal how far it has got. What the system refuses on the way is told in words. */
async function watched<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const spinner = createSpinner(process.stderr);
  try {
    return await work(({ files, of, bytes }) => spinner.show(`${files} of ${of} files, ${sizeText(bytes)}`));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandFailure(
      `${systemProblem(error)}. Nothing was changed; put that right, and try again.`,
      1,
    );
  } finally {
    spinner.hide();
  }
}

/** A gateway that runs has the store, and copies it itself. */
async function backup(file: string, options: DbOptions, onProgress: OnProgress): Promise<BackedUp> {
  if (file === '') throw new CommandFailure('Name the file that the copy is to be.');
  refuseFile(placeOf(options.data));
  const { backUp } = await import('../gateway/backup.ts');
  const media = options.media ? mediaDirectory(options) : undefined;
  return backUp(resolve(file), { media, onProgress, copyStore: (copy) => copyStore(copy, options) });
}

async function copyStore(copy: string, options: DbOptions): Promise<void> {
  if (readInstance(placeOf(options.data).instanceFile) !== undefined) {
    try {
      return await request(findGateway(options), 'POST', '/api/backup', { file: copy });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      if (error.code !== 'unreachable')
        throw new CommandFailure(`The gateway, which runs, has not copied: ${error.message}`, 1);
    }
  }
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  // To open what is not there would make it.
  if (!existsSync(config.store.file)) throw nothingAt(config.store.file);
  const { openSqlite } = await import('@plugboard/store/sqlite');
  const store = openSqlite(config.store.file, { clock: Date.now });
  try {
    await store.backup(copy);
  } finally {
    await store.close();
  }
}

function nothingAt(store: string): CommandFailure {
  return new CommandFailure(
    `There is nothing to copy: ${store} does not exist. Name the data directory of the gateway with --data.`,
  );
}

async function restore(file: string, options: DbOptions, onProgress: OnProgress): Promise<Restored> {
  if (file === '') throw new CommandFailure('Name the file that is to be restored.');
  refuseFile(placeOf(options.data));
  const { refuseOther } = await import('../gateway/proof.ts');
  refuseOther(file);
  const config = await loadConfig(configFile(options.config), placeOf(options.data));
  const target = config.store.file;
  const { restoreStore, taken } = await import('../gateway/restore.ts');
  const force = options.force === true;
  if (existsSync(target) && !force) throw taken(target);
  const directory = mediaDirectory(options);
  const withMedia = options.media;
  return restoreStore({ file, target, directory, withMedia, force, onProgress, now: new Date() });
}

function mediaDirectory({ data }: DbOptions): string {
  return join(placeOf(data).directory, 'media');
}

/** What was done is data; that it was done is for people. */
function tell({ json }: DbOptions, data: unknown, lines: readonly string[]): void {
  if (json === true) process.stdout.write(`${JSON.stringify(data)}\n`);
  else process.stderr.write(`${lines.join('\n')}\n`);
}

function backupJson(file: string, { bytes, media }: BackedUp) {
  return {
    file,
    bytes,
    media: media === undefined ? null : { directory: `${file}.media`, ...mediaJson(media) },
  };
}

function backupLines(file: string, { bytes, media }: BackedUp): string[] {
  const words = `What was said was copied to ${file} (${sizeText(bytes)})`;
  if (media === undefined) return [`${words}. Files were left out.`];
  return [
    `${words}, and ${filesText(media)} to ${file}.media.`,
    ...(media.missing.length === 0
      ? []
      : [`Files that could not be had, since they were forgotten or lost: ${media.missing.length}.`]),
  ];
}

function restoreJson({ kept, keptMedia, dropped, expired, media }: Restored) {
  return {
    kept: kept ?? null,
    keptMedia: keptMedia ?? null,
    dropped,
    expired,
    media: media === undefined ? null : { ...mediaJson(media), checked: media.checked },
  };
}

function restoreLines(file: string, { kept, keptMedia, dropped, expired, media }: Restored): string[] {
  return [
    `${file} was restored${media === undefined ? ', without files' : `, with ${filesText(media)}`}.`,
    ...(media === undefined || media.checked
      ? []
      : [`${file}.media has no list of what its files contained: they were taken as they are.`]),
    ...(kept === undefined ? [] : [`What was there is in ${kept}.`]),
    ...(keptMedia === undefined ? [] : [`Its files are in ${keptMedia}.`]),
    ...(dropped + expired === 0
      ? []
      : [`Messages that waited then are not asked again: ${dropped}. Nor are answers sent: ${expired}.`]),
  ];
}

function mediaJson({ files, bytes, missing }: CopiedMedia) {
  return { files, bytes, missing: missing.length };
}

function filesText({ files, bytes }: CopiedMedia): string {
  return `${files} ${files === 1 ? 'file' : 'files'} (${sizeText(bytes)})`;
}

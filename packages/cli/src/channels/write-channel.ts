import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Config, NewChannel } from '@plugboard/gateway';
import { reasonOf } from '@plugboard/protocol';
import { CommandFailure } from '../failure.ts';
import { loadConfig } from '../gateway/config.ts';
import type { Place } from '../gateway/place.ts';

/** Throws when the configuration has a channel of this name already. */
export async function demandFreeName(file: string, name: string): Promise<void> {
  const { hasChannelIn } = await import('@plugboard/gateway');
  if (existsSync(file) && edit(file, (source) => hasChannelIn(source, name)))
    throw new CommandFailure(
      `${file} has a channel "${name}" already. Give this one another --name, or edit the file.`,
    );
}

/**
 * Writes a channel into a configuration, and keeps its comments. The file is replaced only when the result can be read and
 * `prove` resolves, in one step: a gateway that watches it never sees half of it.
 */
export async function writeChannel<Proved>(
  file: string,
  channel: NewChannel,
  place: Place,
  prove: (config: Config) => Promise<Proved>,
): Promise<Proved> {
  const { addChannelTo } = await import('@plugboard/gateway');
  const text = edit(file, (source) => addChannelTo(source, channel));
  const next = `${file}.new`;
  const mode = existsSync(file) ? statSync(file).mode : 0o600;
  try {
    writeFileSync(next, text, { mode, flush: true });
    const proved = await prove(await loadNext(next, file, place));
    renameSync(next, file);
    return proved;
  } finally {
    rmSync(next, { force: true });
  }
}

function edit<T>(file: string, work: (source: string) => T): T {
  try {
    return work(existsSync(file) ? readFileSync(file, 'utf8') : '');
  } catch (error) {
    throw new CommandFailure(`${file} cannot be changed: ${reasonOf(error)}`);
  }
}

async function loadNext(next: string, file: string, place: Place): Promise<Config> {
  try {
    return await loadConfig(next, place);
  } catch (error) {
    const sentence = reasonOf(error).replaceAll(next, file);
    throw new CommandFailure(
      `The channel cannot be used like this, and ${file} stays as it was: ${sentence}`,
    );
  }
}

import { startFakeTelegram, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { FileUnavailableError, type Inbound } from '../../../src/channels/channel.ts';
import { createClient } from '../../../src/channels/telegram/client.ts';
import { createDownloads } from '../../../src/channels/telegram/incoming-files.ts';
import { systemClock } from '../../../src/clock.ts';
import { openTelegram, refusal, settingsFor, type TelegramBench } from './telegram-bench.ts';

/** Reads the files of a message as the gateway does: a file that is unavailable is named, and other errors reject. */
async function readFiles({ files = [] }: Inbound): Promise<string[]> {
  const read: string[] = [];
  for (const { name, bytes } of files) {
    try {
      let text = '';
      for await (const chunk of bytes) text += Buffer.from(chunk).toString();
      read.push(`${name}: ${text}`);
    } catch (error) {
      if (!(error instanceof FileUnavailableError)) throw error;
      read.push(`${name}: ${error.message}`);
    }
  }
  return read;
}

async function openReader(
  more: Parameters<typeof openTelegram>[0] = {},
): Promise<TelegramBench & { readonly read: string[]; acknowledged(name: string): Promise<void> }> {
  const read: string[] = [];
  const bench = await openTelegram({
    ...more,
    take: async (message) => void read.push(...(await readFiles(message))),
  });
  const acknowledged = (name: string): Promise<void> =>
    until(() => bench.platform.isAcknowledged(name), 'Telegram to know');
  return { ...bench, read, acknowledged };
}

describe('a file that a person sends on Telegram', () => {
  it.each([
    ['photo', 'photo.jpg'],
    ['voice', 'voice.ogg'],
    ['video_note', 'video.mp4'],
    ['sticker', 'sticker.webp'],
    ['audio', 'audio.mp3'],
  ])('as %s is downloaded, under the name %s', async (kind, name) => {
    const { platform, read, acknowledged } = await openReader();
    const file = {
      file_id: platform.addFile(Buffer.from('bytes')),
      file_unique_id: 'u',
      is_animated: false,
      is_video: false,
    };
    await acknowledged(
      platform.receive({ [kind]: kind === 'photo' ? [{ ...file, file_id: 'small' }, file] : file }),
    );
    expect(read).toEqual([`${name}: bytes`]);
  });

  it('has the name that the person gave it, and an animation is one file', async () => {
    const { platform, read, acknowledged } = await openReader();
    const file = {
      file_id: platform.addFile(Buffer.from('bytes'), { name: '../a b.pdf' }),
      file_unique_id: 'u',
    };
    const document = { ...file, file_name: '../a b.pdf' };
    await acknowledged(platform.receive({ document, caption: 'See.' }));
    await acknowledged(platform.receive({ animation: file, document }));
    expect(read).toEqual(['../a b.pdf: bytes', 'animation.mp4: bytes']);
  });

  it('is not downloaded when it is too large for Telegram or for us, which its message says', async () => {
    const { platform, read, acknowledged, calls } = await openReader({ mediaBytes: 1_000 });
    const document = { file_id: 'x', file_unique_id: 'u', file_name: 'big.bin' };
    await acknowledged(platform.receive({ document: { ...document, file_size: 21 * 1_048_576 } }));
    await acknowledged(platform.receive({ document: { ...document, file_size: 1_001 } }));
    expect(calls('getFile')).toEqual([]);
    // Also when Telegram tells the size only then.
    const late = platform.addFile(Buffer.from('x'), { size: 21 * 1_048_576 });
    await acknowledged(platform.receive({ document: { ...document, file_id: late } }));
    expect(read).toEqual([
      'big.bin: Telegram gives bots files of at most 20 MB.',
      'big.bin: The file is larger than 1000 bytes.',
      'big.bin: Telegram gives bots files of at most 20 MB.',
    ]);
  });

  it('is downloaded again with its message when the download broke', async () => {
    const { platform, read, acknowledged, log } = await openReader();
    platform.server.trouble('cut', ({ path }) => path.startsWith('/file/'));
    platform.server.trouble({ status: 502, body: 'Bad Gateway' }, ({ path }) => path.startsWith('/file/'));
    const voice = { file_id: platform.addFile(Buffer.from('bytes')), file_unique_id: 'u' };
    await acknowledged(platform.receive({ voice }));
    expect(read).toEqual(['voice.ogg: bytes']);
    expect(log.codes).toEqual(['telegram-update-not-kept', 'telegram-update-not-kept']);
    expect(log.written.join()).not.toContain(platform.token);
  });

  it('is left out after eight downloads that broke, and those that could not begin do not count', async () => {
    await using platform = await startFakeTelegram();
    const client = createClient(settingsFor(platform), systemClock);
    const downloads = createDownloads({ client, mediaBytes: 1_000, signal: new AbortController().signal });
    const voice = { file_id: platform.addFile(Buffer.from('bytes')), file_unique_id: 'u' };
    const read = async (): Promise<unknown> => {
      const [file] = downloads({ voice } as never);
      return readFiles({ files: file === undefined ? [] : [file] } as never).catch(() => 'again');
    };
    await platform.server.down();
    for (let attempt = 0; attempt < 20; attempt += 1) expect(await read()).toBe('again');
    await platform.server.up();
    platform.server.trouble(
      { status: 502, body: 'Bad Gateway' },
      ({ path }) => path.startsWith('/file/'),
      99,
    );
    for (let attempt = 1; attempt < 8; attempt += 1) expect(await read()).toBe('again');
    expect(await read()).toEqual(['voice.ogg: It could not be downloaded from Telegram.']);
  });

  it('is not read, and so not downloaded, for a message that is not kept', async () => {
    const { platform, calls } = await openTelegram();
    const name = platform.receive({ voice: { file_id: 'x', file_unique_id: 'u' } });
    await until(() => platform.isAcknowledged(name), 'Telegram to know');
    expect(calls('getFile')).toEqual([]);
  });

  it('is refused by a token that was revoked, and its message is not confirmed', async () => {
    const { platform, ingress } = await openReader();
    platform.server.trouble(refusal(401, 'Unauthorized'), ({ path }) => path.endsWith('/getFile'));
    const voice = { file_id: platform.addFile(Buffer.from('bytes')), file_unique_id: 'u' };
    const name = platform.receive({ voice });
    await until(() => ingress.heard.length === 1, 'it to be heard');
    expect(platform.isAcknowledged(name)).toBe(false);
  });
});

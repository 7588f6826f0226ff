import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attachment } from '@plugboard/host';
import type { StoredEvent } from '@plugboard/store';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { type Bench, type Setting, shell, startBench } from '../harness.ts';

/** Attaches the file that it is told to, by a frame. */
const ATTACHES = `read -r turn; path=$(printf %s "$turn" | sed 's/.*"text":"\\([^"]*\\)".*/\\1/')
printf '{"type":"message","text":"here","media":["%s"]}\\n' "$path"`;

/** Says what it is told, as it is. */
const REPEATS = `read -r turn; printf %s "$turn" | sed 's/.*"text":"\\([^"]*\\)".*/\\1/'`;

/** Makes a file where it is told to, and names it in its text. */
const MAKES = `read -r turn; path=$(printf %s "$turn" | sed 's/.*"text":"\\([^"]*\\)".*/\\1/')
echo made > "$path"; echo "It is $path"`;

const rich = (script: string): Setting => ({
  agents: (workspace) => {
    const agent = shell('agent', script, workspace);
    const settings = { ...agent.profile.settings, protocol: 'rich' };
    return [{ ...agent, profile: { ...agent.profile, settings } }];
  },
  server: { mediaBytes: 1_000 },
});

interface Answer {
  readonly texts: readonly string[];
  readonly media: readonly Attachment[];
}

async function ask(bench: Bench, text: string): Promise<Answer> {
  const events: readonly StoredEvent[] = await bench.ask(await bench.session(), text);
  const messages = events.flatMap(({ event }) => (event.type === 'message' ? [event] : []));
  return { texts: messages.map((one) => one.text), media: messages.flatMap((one) => one.media) };
}

it("no agent hands out the gateway's own files, although they lie inside its workspace", async () => {
  using home = temporaryDirectory();
  const data = join(home.path, 'data');
  mkdirSync(data);
  const bench = await startBench({
    ...rich(ATTACHES),
    agents: () => rich(ATTACHES).agents?.(home.path) ?? [],
    directory: data,
  });
  writeFileSync(join(data, 'gateway.json'), '{"token":"secret"}');
  linkSync(join(data, 'gateway.json'), join(home.path, 'link.json'));
  linkSync(join(data, 'gateway.db'), join(home.path, 'copy.db'));
  writeFileSync(join(home.path, 'mine.txt'), 'mine');
  for (const name of ['data/gateway.json', 'data/gateway.db', 'copy.db']) {
    const { texts, media } = await ask(bench, join(home.path, name));
    expect(media, name).toEqual([]);
    expect(texts.at(-1), name).toContain('was not attached: it belongs to the gateway');
  }
  expect((await ask(bench, join(home.path, 'mine.txt'))).media).toHaveLength(1);
});

it('a file that is not attached is named to the person, with the reason and what to do', async () => {
  const bench = await startBench(rich(ATTACHES));
  writeFileSync(join(bench.directory, 'workspace', 'large.bin'), 'x'.repeat(1_001));
  const large = await ask(bench, join(bench.directory, 'workspace', 'large.bin'));
  expect(large.texts).toEqual([
    'here',
    expect.stringMatching(/^\[large\.bin was not attached: it is larger than .*"server\.media_bytes"\.\]$/),
  ]);
  const outside = await ask(bench, '/etc/passwd');
  expect(outside.texts[1]).toMatch(/^\[passwd was not attached: it lies outside .*"media_roots"\.\]$/);
  const missing = await ask(bench, '/nowhere/x.png');
  expect(missing.texts[1]).toBe('[x.png was not attached: there is no such file.]');
  expect([large, outside, missing].flatMap(({ media }) => media)).toEqual([]);
});

it('an agent that repeats what people say does not hand out the files that they name', async () => {
  const bench = await startBench(rich(REPEATS));
  const file = join(bench.directory, 'workspace', 'x.png');
  writeFileSync(file, 'old');
  // Older than the turn by more than the clock of the file system is coarse.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { texts, media } = await ask(bench, `look: ${file}`);
  expect({ texts, media }).toEqual({ texts: [`look: ${file}`], media: [] });
});

it('a file that the agent makes in the temporary directory during its turn is attached', async () => {
  const bench = await startBench(rich(MAKES));
  using home = temporaryDirectory();
  const made = join(home.path, 'chart.png');
  expect(made.startsWith(tmpdir())).toBe(true);
  const { texts, media } = await ask(bench, made);
  expect(texts).toEqual([`It is ${made}`]);
  const kept = await bench.gateway.media.get(media[0]?.url?.slice('/api/media/'.length) ?? '');
  if (kept === undefined) throw new Error('The file was not attached.');
  expect(readFileSync(await bench.gateway.media.localPath(kept), 'utf8')).toBe('made\n');
});

import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRecorder, open, readRecording, replay } from '@plugboard/host';
import { PLUGBOARD, profileFor, temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { collect } from './agents.ts';

it('is for the eyes of its owner alone, also in a file that was there', () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'one.rec');
  writeFileSync(file, '', { mode: 0o644 });
  createRecorder(file).close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('takes the place of another recording, and of no other file', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'one.rec');
  for (const words of ['first', 'second']) {
    const recorder = createRecorder(file);
    recorder.tap({ dialect: 'terminal', name: words });
    recorder.close();
  }
  expect((await readRecording(file)).entries).toMatchObject([{ name: 'second' }]);
  const script = join(directory.path, 'agent.sh');
  writeFileSync(script, '#!/bin/sh\n');
  expect(() => createRecorder(script)).toThrow('not a recording');
  expect(readFileSync(script, 'utf8')).toBe('#!/bin/sh\n');
});

it('writes down every byte, and plays it back byte for byte', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'one.rec');
  const recorder = createRecorder(file);
  const script = `cat >/dev/null; printf 'h\\303\\251\\n'; printf '\\377\\n'; echo oops >&2; exit 3`;
  const profile = profileFor('terminal', ['/bin/sh', '-c', script], directory.path);
  const { end } = await collect(open(profile, { environment: process.env, recorder }), { text: 'hi' });
  recorder.close();
  expect(end.exitCode).toBe(3);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const written: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  let asked = 0;
  const code = await replay(await readRecording(file), {
    speed: 0,
    async write(stream, bytes) {
      written[stream].push(Buffer.from(bytes));
    },
    async waitForInput(bytes) {
      asked = bytes;
    },
  });
  expect(code).toBe(3);
  expect(Buffer.concat(written.stdout)).toEqual(Buffer.from([0x68, 0xc3, 0xa9, 0x0a, 0xff, 0x0a]));
  expect(Buffer.concat(written.stderr).toString()).toBe('oops\n');
  expect(asked).toBeGreaterThan(50);
});

it('keeps turns apart that run at once, and writes nothing once it is closed', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'two.rec');
  const recorder = createRecorder(file);
  const first = recorder.tap({ dialect: 'terminal', name: 'a' });
  const second = recorder.tap({ dialect: 'terminal', name: 'b' });
  const ending = { code: 0, signal: null } as Parameters<typeof first.end>[0];
  second.write('stdout', Buffer.from('two'));
  first.write('stdout', Buffer.from('one'));
  second.end({ ...ending, code: 2 });
  first.end({ ...ending, code: 1 });
  recorder.close();
  const victim = openSync(join(directory.path, 'victim'), 'w');
  second.write('stdout', Buffer.from('late'));
  closeSync(victim);
  expect(statSync(join(directory.path, 'victim')).size).toBe(0);
  expect(recorder.problem).toBeUndefined();
  let said = '';
  const code = await replay(await readRecording(file), {
    speed: 0,
    async write(_stream, bytes) {
      said += Buffer.from(bytes).toString();
    },
    async waitForInput() {},
  });
  expect([code, said]).toEqual([1, 'one']);
});

it('gives the same events when a host hears a recording', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'two.rec');
  const recorder = createRecorder(file);
  const profile = profileFor(
    'agentproc',
    ['/bin/sh', '-c', `echo 'AGENT_PARTIAL:"a"'; echo AGENT_SESSION:s1; echo body`],
    directory.path,
  );
  const first = await collect(open(profile, { environment: process.env, recorder }));
  recorder.close();
  const played = profileFor('agentproc', [...PLUGBOARD, 'replay', '--speed', '0', file], directory.path);
  const second = await collect(open(played, { environment: process.env }));
  expect(second.events.slice(0, -1)).toEqual(first.events.slice(0, -1));
  expect({ ...second.end, durationMs: 0 }).toEqual({ ...first.end, durationMs: 0 });
});

it('names the line of a file that is no recording', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'bad.rec');
  createRecorder(file).tap({ dialect: 'nib', name: 'x' });
  appendFileSync(file, 'nonsense\n');
  await expect(readRecording(file)).rejects.toThrow(`${file}:2`);
});

it.each([
  '{"type":"bytes","at":1}',
  '{"type":"bytes","at":1,"stream":"kill","text":"x"}',
  '{"type":"bytes","at":1,"stream":"__proto__","text":"x"}',
  '{"type":"bytes","at":1,"stream":"stdout","text":5}',
  '{"type":"bytes","at":1,"stream":"stdout","base64":{"length":3}}',
  '{"type":"bytes","at":1e15,"stream":"stdout","text":"x"}',
  '{"type":"exit","at":1,"code":"abc","signal":null}',
  '{"type":"exit","at":1,"code":1.5,"signal":null}',
  '{"type":"exit","at":1,"code":300,"signal":null}',
  '{"type":"exit","at":1,"code":null,"signal":"SIGNOPE"}',
  '{"type":"exit","at":1}',
  '[]',
])('is not taken in by a line like %s', async (line) => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'bad.rec');
  createRecorder(file).tap({ dialect: 'nib', name: 'x' });
  appendFileSync(file, `${line}\n`);
  await expect(readRecording(file)).rejects.toThrow(`${file}:2: this line is not part of a recording.`);
});

it('refuses a recording of a version that it does not know', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'later.rec');
  for (const [version, said] of [
    [',"version":99', 'version 99, and only 1'],
    ['', 'version none'],
  ]) {
    writeFileSync(file, `{"type":"start"${version},"dialect":"agentproc","name":"x"}\n`);
    await expect(readRecording(file)).rejects.toThrow(`${file} is a recording of ${said}`);
  }
});

it('reports a death by signal as a shell does, and a record that breaks off as such', async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'killed.rec');
  const recorder = createRecorder(file);
  const profile = profileFor('agentproc', ['/bin/sh', '-c', 'kill -KILL $$'], directory.path);
  await collect(open(profile, { environment: process.env, recorder }));
  const options = { speed: 0, write: async () => {}, waitForInput: async () => {} };
  expect(await replay(await readRecording(file), options)).toBe(137);
  const cut = createRecorder(join(directory.path, 'cut.rec'));
  cut.tap({ dialect: 'nib', name: 'x' }).write('stdout', Buffer.from('half'));
  expect(await replay(await readRecording(join(directory.path, 'cut.rec')), options)).toBeUndefined();
});

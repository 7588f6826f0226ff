import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { copyNovel, type Novel, runInTerminal } from './novel.ts';

/** Lines of a script that record the request and delete its file, as the protocol requires. */
const TAKE =
  'cat "$NIB_AGENT_REQUEST_FILE" >> "$HOME/got"; stat -c %a "$NIB_AGENT_REQUEST_FILE" "$(dirname "$NIB_AGENT_REQUEST_FILE")" >> "$HOME/modes"; rm "$NIB_AGENT_REQUEST_FILE"';

/** The requests that the backend of a novel has received. */
function got(book: Novel): Record<string, unknown>[] {
  const text = readFileSync(join(dirname(book.root), 'got'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A separate TMPDIR, so that files left behind can be listed. */
function withBackend(script: string) {
  const book = copyNovel();
  book.tool('nib-agent-fake', script);
  const temporary = mkdtempSync(join(dirname(book.root), 'tmp-'));
  const variables = { NIB_AGENT: 'fake', TMPDIR: temporary };
  return {
    book,
    variables,
    nib: (line: string) => book.nib(line, { variables }),
    left: () => readdirSync(temporary).filter((name) => name.startsWith('plugboard')),
    [Symbol.dispose]: () => book[Symbol.dispose](),
  };
}

describe.concurrent('a conversation', () => {
  it('nib ma critique starts one conversation for scenes, for each chapter, or for the book', async () => {
    using stage = withBackend(`${TAKE}; echo talking`);
    const { book, nib } = stage;
    expect(await nib('ma critique 1.1-2.1')).toMatchObject({ code: 0, out: 'talking\n' });
    expect(await nib('ma cr 1-2 --effort max')).toMatchObject({ code: 0, out: 'talking\ntalking\n' });
    expect(await nib('ma build')).toMatchObject({ code: 0 });
    expect(await nib('ma cr')).toMatchObject({ code: 0, out: 'talking\n' });
    const [scenes, first, second, whole] = got(book);
    expect(scenes).toMatchObject({ operation: 'scene-critique', dir: book.root, effort: 'high' });
    expect(scenes?.paths).toHaveLength(5);
    expect(first).toMatchObject({ operation: 'chapter-critique', effort: 'max' });
    expect([first?.paths, second?.paths].map((paths) => (paths as string[]).length)).toEqual([4, 4]);
    expect(whole).toMatchObject({ operation: 'manuscript-critique', paths: ['build/manuscript-full.md'] });
    expect(readdirSync(join(book.root, 'build'))).toEqual(['manuscript-full.md', 'manuscript.md']);
    expect(readFileSync(join(dirname(book.root), 'modes'), 'utf8').slice(0, 8)).toBe('600\n700\n');
    expect(stage.left()).toEqual([]);
  });

  it('a conversation that empties a scene fails, and the scene is restored', async () => {
    for (const [script, code] of [
      [': > scenes/brass-key.md', 1],
      ['rm scenes/brass-key.md; exit 7', 7],
    ] as const) {
      using stage = withBackend(`${TAKE}; ${script}`);
      const scene = join(stage.book.root, 'scenes/brass-key.md');
      const text = readFileSync(scene, 'utf8');
      const said = await stage.nib('ma critique 1.1');
      expect(said.code).toBe(code);
      expect(said.err).toContain(
        'While the backend worked, scenes/brass-key.md in the project itself was removed, emptied',
      );
      expect(readFileSync(scene, 'utf8')).toBe(text);
    }
  });

  it('a conversation that edits a scene is reported, and can be undone', async () => {
    using stage = withBackend(`${TAKE}; echo More. >> scenes/brass-key.md`);
    const scene = join(stage.book.root, 'scenes/brass-key.md');
    const text = readFileSync(scene, 'utf8');
    const { code, err } = await stage.nib('ma critique 1.1');
    expect(code).toBe(0);
    expect(err).toContain(
      'Saved meanwhile, and kept: scenes/brass-key.md. If that was not you: nib ma undo 1.',
    );
    expect((await stage.nib('ma undo 1')).code).toBe(0);
    expect(readFileSync(scene, 'utf8')).toBe(text);
  });

  it.each([
    ['left where it is', ':'],
    [
      'replaced by a directory',
      'rm "$NIB_AGENT_REQUEST_FILE"; mkdir "$NIB_AGENT_REQUEST_FILE"; touch "$NIB_AGENT_REQUEST_FILE/x"',
    ],
    ['replaced by a link', 'rm "$NIB_AGENT_REQUEST_FILE"; ln -s "$HOME/keep" "$NIB_AGENT_REQUEST_FILE"'],
  ])('a conversation leaves no request file behind when it was %s', async (_what, script) => {
    using stage = withBackend(`touch "$HOME/keep"; ${script}`);
    expect((await stage.nib('ma cr 1.1')).code).toBe(0);
    expect(stage.left()).toEqual([]);
    expect(existsSync(join(dirname(stage.book.root), 'keep'))).toBe(true);
  });

  it('a conversation ends with the exit code of the backend, and starts no further part', async () => {
    using stage = withBackend(`${TAKE}; exit 7`);
    const { code, err } = await stage.nib('ma cr 1-2');
    expect(code).toBe(7);
    expect(err).toContain('error: nib-agent-fake: The agent exited with code 7.');
    expect(got(stage.book)).toHaveLength(1);
    stage.book.tool('nib-agent-fake', 'kill -9 $$');
    expect((await stage.nib('ma cr 1.1')).code).toBe(137);
  });

  it('no conversation starts for an invalid range', async () => {
    using stage = withBackend('echo talking');
    expect(await stage.nib('ma cr 99')).toMatchObject({ code: 1, out: '' });
    expect(await stage.nib('ma cr 1 --effort huge')).toMatchObject({ code: 1, out: '' });
  });

  it('the context of nib pr talk has no later scenes', async () => {
    using stage = withBackend(`${TAKE}; echo "I am Nell."`);
    const { code, out, err } = await stage.nib('pr talk nell-tarrow 2.3');
    expect({ code, out }).toEqual({ code: 0, out: 'I am Nell.\n' });
    expect(err).toBe('To go on with this conversation later: nib pr talk nell-tarrow 2.3 --resume\n');
    await stage.nib('pr ta nell-tarrow 2.3 --new');
    await stage.nib('pr ta nell-tarrow 2.3 --resume');
    await stage.nib('pr ta lance-thurgood 2.1 --resume');
    const [fresh, anew, resumed, other] = got(stage.book);
    const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(fresh).toMatchObject({ operation: 'character-talk', dir: stage.book.root, session: { id } });
    expect(Object.keys(Object(fresh?.session))).toEqual(['id']);
    expect(anew?.session).toEqual({ ...Object(fresh?.session), new: true });
    expect(resumed?.session).toEqual({ ...Object(fresh?.session), resume: true });
    expect(resumed).not.toHaveProperty('context');
    // `--resume` needs no profile.
    expect(other?.session).toEqual({ id: '9f63d056-f976-5821-a28d-6502ede9fd72', resume: true });
    const recap = JSON.parse(/```json\n(.*)\n```/.exec(String(fresh?.context))?.[1] ?? '{}');
    const told = recap.chapters.map((one: { scenes: { position: number }[] }) =>
      one.scenes.map(({ position }) => position),
    );
    expect(told).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3],
    ]);
  });

  it.each([
    ['pr talk nell-tarrow 99.1', 'There is no chapter 99'],
    ['pr talk nell-tarrow 2.99', 'There is no scene 2.99'],
    ['pr talk nobody 1.1', 'There is no profile'],
    ['pr talk ../x 1.1 --resume', 'cannot name a character'],
    ['pr talk nell-tarrow here', 'is no reference'],
    ['pr talk nell-tarrow 1.1 --new --resume', 'exclude each other'],
  ])('a conversation is refused for nib %s', async (line, words) => {
    using stage = withBackend('echo talking');
    const { code, out, err } = await stage.nib(line);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(words);
  });
});

describe.concurrent('SIGTERM during a conversation', () => {
  it('SIGTERM during a conversation ends the backend and all its descendants', async () => {
    using stage = withBackend(
      `trap 'exit 0' TERM; setsid sh -c 'trap "" TERM HUP; while :; do sleep 0.1; done' & echo $PPID > "$HOME/nib"; wait`,
    );
    const { book, variables } = stage;
    const noted = join(dirname(book.root), 'nib');
    const ended = stage.nib('ma cr 1.1');
    await until(
      () => existsSync(noted) && readFileSync(noted, 'utf8').endsWith('\n'),
      'the backend is at work',
    );
    process.kill(Number(readFileSync(noted, 'utf8')), 'SIGTERM');
    expect(await ended).toMatchObject({ code: 143, err: 'error: Ended by SIGTERM.\n' });
    expect(processesWith(variables.TMPDIR)).toEqual([]);
    expect(stage.left()).toEqual([]);
  });
});

describe.concurrent('at a terminal', () => {
  it('Ctrl-C goes to the backend during a conversation, and the terminal state is restored', async () => {
    using stage = withBackend(
      `echo $$ > "$HOME/pid"; trap 'echo caught' INT; stty -echo raw isig; echo ready; while :; do sleep 0.05; done`,
    );
    const { book, variables } = stage;
    const after = '; echo "code $?"; stty -a';
    const said = await runInTerminal(book, 'ma cr 1.1', variables, after, async (type, seen) => {
      await until(() => seen().includes('ready'), 'the backend is at work');
      type('\u0003');
      await until(() => seen().includes('caught'), 'the backend has caught it');
      type('\u0003');
      await until(() => seen().match(/caught/g)?.length === 2, 'both are still there');
      process.kill(Number(readFileSync(join(dirname(book.root), 'pid'), 'utf8')), 'SIGKILL');
    });
    expect(said).toContain('code 137');
    expect(said).toMatch(/ icanon /);
    expect(said).toMatch(/ echo /);
    expect(stage.left()).toEqual([]);
  });

  it('Ctrl-C ends a backend without the terminal, and all its descendants', async () => {
    using stage = withBackend('cat > /dev/null; sleep 600 & echo ready >&2; wait');
    const { book, variables } = stage;
    const said = await runInTerminal(
      book,
      'ct ask why',
      variables,
      '; echo "code $?"',
      async (type, seen) => {
        await until(() => seen().includes('ready'), 'the backend is at work');
        type('\u0003');
      },
    );
    expect(said).toContain('error: Interrupted.');
    expect(said).toContain('code 130');
    expect(processesWith(variables.TMPDIR)).toEqual([]);
  });

  it('a review reads single keys, and Ctrl-C restores the terminal', async () => {
    using stage = withBackend(`cat > /dev/null; cat "$HOME/found"`);
    const { book, variables } = stage;
    const data = {
      scene: {
        pov: 'nell-tarrow',
        scene_type: 'regular',
        location: '',
        date: '',
        time: '',
        summary: 'Words.',
      },
      facts: [],
      characters: [{ character: 'nell-tarrow', role: 'pov' }],
      locations: [],
    };
    const answer = JSON.stringify({ type: 'success', operation: 'continuity-index', data });
    writeFileSync(join(dirname(book.root), 'found'), answer);
    const asked = /\[q\]uit: $/;
    const said = await runInTerminal(
      book,
      'ct index 5 --jobs 2',
      variables,
      '; echo "code $?"; stty -a',
      async (type, seen) => {
        await until(() => asked.test(seen()), 'the first question');
        type('A');
        await until(
          () => (seen().match(/\[q\]uit: /g)?.length ?? 0) >= 2 && asked.test(seen()),
          'the next scene',
        );
        type('\u0003');
      },
    );
    expect(said).toContain('code 130');
    expect(said).toMatch(/ icanon /);
    expect(said).toMatch(/Stopped, with \d+ scenes? to go\./);
    expect((await book.nib('ma status')).out).toContain('; 14 indexed.');
  });

  it('a terminal shows a progress line, which is removed again', async () => {
    using stage = withBackend(
      `cat > /dev/null; sleep 1.4; printf '{"type":"success","operation":"continuity-ask","text":"Because."}'`,
    );
    const said = await runInTerminal(stage.book, 'ct ask why', stage.variables);
    expect(said).toMatch(/⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/);
    expect(said).toContain('Looking for an answer (1 s)');
    expect(said).toMatch(/\r\u001B\[2KBecause\.\r\n$/);
  });
});

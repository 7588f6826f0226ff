import { describe, expect, it } from 'vitest';
import { createAnswerScript, createBackendProject, READ } from '../backend-project.ts';
import { createIndexScript } from '../index-script.ts';

const SEQUENCE = '\u001B]52;c;x\u0007';
const SHOWN = '␛]52;c;x␇';
const ON_STDERR = `printf '\\033]52;c;x\\007' >&2`;
const terminal = { screen: { out: true, err: true } };

describe('escape sequences of a backend', () => {
  it.each([
    ['an answer', createAnswerScript(`Hello ${SEQUENCE}`), 'ct ask why'],
    ['the summary of a proof', createAnswerScript(`Hello ${SEQUENCE}`), 'ma proof 1.1'],
    ['the summary of a dry run', createAnswerScript(`Hello ${SEQUENCE}`), 'ma proof 1.1 --dry-run'],
    ['its stderr', createAnswerScript('Hello', ON_STDERR), 'ct ask why'],
    ['its stderr, scene by scene', createIndexScript(undefined, ON_STDERR), 'ct index 1 --yes'],
    [
      'an error',
      `${READ}\nprintf '%s' '${JSON.stringify({ type: 'error', error: SEQUENCE })}'`,
      'ct ask why',
    ],
    ['a failure', `${ON_STDERR}; exit 3`, 'ct ask why'],
    ['a failure while indexing', `${ON_STDERR}; exit 3`, 'ct index 1.1 --yes'],
  ])(
    'escape sequences of a backend in %s are shown as symbols on a terminal',
    async (_what, script, line) => {
      using staged = createBackendProject(script);
      const { out, err } = await staged.nib(line, terminal);
      expect(out + err).not.toContain(SEQUENCE);
      expect(out + err).toContain(SHOWN);
    },
  );

  it('escape sequences stay in an answer that goes to a file or a pipe', async () => {
    using staged = createBackendProject(createAnswerScript(`Hello ${SEQUENCE}`, ON_STDERR));
    expect(await staged.nib('ct ask why')).toMatchObject({ out: `Hello ${SEQUENCE}`, err: SEQUENCE });
  });
});

describe('escape sequences in files', () => {
  it('escape sequences in a scene, a title or a name do not reach a terminal', async () => {
    using staged = createBackendProject(createAnswerScript('Done.'), {
      'scenes/dawn.md': `Mill ${SEQUENCE}\n`,
      'characters/ada.yaml': `name: "Ada \\e]52;c;x\\a"\n`,
    });
    for (const line of [
      'ma search Mill',
      'pr list',
      'ma toc',
      'sc list',
      'ma status --json',
      'agents --json',
    ]) {
      const { out, err } = await staged.nib(line, terminal);
      expect(out + err, line).not.toContain('\u001B]52');
    }
  });
});

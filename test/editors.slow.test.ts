import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGBOARD, SCRIPTED_CLAUDE, temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { startEditor } from '../packages/cli/test/editor.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/editors.md'), 'utf8');

/** The words behind `plugboard` in the settings of each editor: a list of strings that begins with `serve`. */
function commandsOf(language: string): string[][] {
  const blocks = [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );
  return blocks.flatMap((block) =>
    [...block.matchAll(/"serve"(?:[,\s]+"[^"]*")*/g)].map(([list]) =>
      [...list.matchAll(/"([^"]*)"/g)].map(([, word = '']) => word),
    ),
  );
}

it.each(['json', 'lua', 'elisp'])(
  'the commands of docs/editors.md in %s are agents of an editor',
  async (language) => {
    using place = temporaryDirectory();
    const bin = join(place.path, 'bin');
    mkdirSync(bin);
    const program = SCRIPTED_CLAUDE.map((word) => `'${word}'`).join(' ');
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec ${program} "$@"\n`);
    chmodSync(join(bin, 'claude'), 0o755);
    const profile = join(place.path, 'coder.yaml');
    writeFileSync(profile, 'dialect: claude\n');
    const env = { PATH: `${bin}:${process.env.PATH}`, PLUGBOARD_HOME: join(place.path, 'state') };
    const commands = commandsOf(language);
    expect(commands.length).toBeGreaterThan(0);
    for (const words of commands) {
      const args = words.map((word) => (word.endsWith('/coder.yaml') ? profile : word));
      const editor = startEditor([...PLUGBOARD, ...args], { cwd: place.path, env });
      await editor.initialize();
      const session = await editor.open();
      expect(await editor.prompt(session, 'hello')).toBe('end_turn');
      expect(editor.textOf(session)).toBe('You said: hello');
      expect(await editor.close()).toBe(0);
    }
  },
);

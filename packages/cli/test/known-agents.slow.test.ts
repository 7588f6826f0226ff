import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCRIPTED_ACP, SCRIPTED_CODEX, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { plugboard } from './plugboard.ts';

/** A machine on which programs of these names are installed: shell scripts. */
function machineWith(scripts: Readonly<Record<string, string>>) {
  const place = temporaryDirectory();
  const bin = join(place.path, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: place.path, ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '' };
  return { ...place, cwd: place.path, env, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

const VERSION = 'echo "1.2.3 (a script)"';

describe.concurrent('known agents', () => {
  it('are listed with their version and login where they are installed, and how to get them where not', async () => {
    using machine = machineWith({ amp: VERSION, goose: 'exit 3' });
    mkdirSync(join(machine.cwd, '.local/share/amp'), { recursive: true });
    writeFileSync(join(machine.cwd, '.local/share/amp/secrets.json'), '{}');
    const { stdout, code } = await plugboard(['agents', '--json'], machine);
    const agents = JSON.parse(stdout) as { name: string; version: string | null; path: string | null }[];
    expect(code).toBe(0);
    expect(agents.find(({ name }) => name === 'amp')).toMatchObject({
      version: '1.2.3 (a script)',
      login: '~/.local/share/amp/secrets.json',
    });
    expect(agents.find(({ name }) => name === 'goose')).toMatchObject({
      version: null,
      path: join(machine.cwd, 'bin/goose'),
    });
    const text = await plugboard(['agents', 'copilot'], machine);
    expect(text).toMatchObject({ code: 1, stdout: expect.stringContaining('install: npm install -g') });
    expect(await plugboard(['agents', 'copilto'], machine)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean copilot?'),
    });
  });

  it('answer by their name, with the whole environment of the user', async () => {
    using machine = machineWith({ amp: 'echo "heard: $2 by $WHO"' });
    const env = { ...machine.env, WHO: 'ada' };
    const done = await plugboard(['run', '--agent', 'amp', '-m', 'hello'], { ...machine, env });
    expect(done).toMatchObject({ code: 0, stdout: 'heard: hello by ada\n' });
    expect(await plugboard(['run', '--agent', 'kimi', '-m', 'hello'], machine)).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('Kimi Code CLI is not installed'),
    });
    expect(await plugboard(['run', '--agent', 'amp', '-m', 'x', '--', 'cat'], machine)).toMatchObject({
      code: 2,
    });
  });

  it('are written into a configuration that can be used, with a key that is named and not copied', async () => {
    using machine = machineWith({ amp: VERSION });
    const env = { ...machine.env, AMP_API_KEY: 'secret-of-ada' };
    expect(await plugboard(['init', '--agent', 'amp'], { ...machine, env })).toMatchObject({ code: 0 });
    const file = readFileSync(join(machine.cwd, 'plugboard.yaml'), 'utf8');
    expect(file).toContain('AMP_API_KEY: ${AMP_API_KEY}');
    expect(file).not.toContain('secret-of-ada');
    expect((await plugboard(['config', 'check'], { ...machine, env })).code).toBe(0);
    expect(await plugboard(['init', '--force', '--agent', 'goose'], machine)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('goose is not installed'),
    });
  });

  it('start with a random password where they open a port', async () => {
    using machine = machineWith({ opencode: VERSION });
    const passwords: (string | undefined)[] = [];
    for (const _ of [1, 2]) {
      expect((await plugboard(['init', '--force', '--agent', 'opencode'], machine)).code).toBe(0);
      const file = readFileSync(join(machine.cwd, 'plugboard.yaml'), 'utf8');
      passwords.push(/OPENCODE_SERVER_PASSWORD: ([0-9a-f]{48})/.exec(file)?.[1]);
    }
    expect(passwords[0]).toBeDefined();
    expect(passwords[0]).not.toBe(passwords[1]);
  });

  it('that speak ACP have a turn, and a profile that can be used', async () => {
    const agent = SCRIPTED_ACP.map((word) => `'${word}'`).join(' ');
    using machine = machineWith({ 'claude-agent-acp': `exec ${agent}`, opencode: `exec ${agent}` });
    const env = { ...machine.env, SCRIPTED_SESSIONS: join(machine.cwd, 'sessions') };
    const done = await plugboard(['run', '--agent', 'claude-acp', '-m', 'hello'], { ...machine, env });
    expect(done).toMatchObject({ code: 0, stdout: 'You said: hello\n' });
    expect((await plugboard(['init', '--agent', 'opencode'], machine)).code).toBe(0);
    expect(readFileSync(join(machine.cwd, 'plugboard.yaml'), 'utf8')).toContain('late_ms: 50');
    expect((await plugboard(['config', 'check'], machine)).code).toBe(0);
  });

  it('Codex has a turn in its own protocol, and a profile that can be used', async () => {
    using machine = machineWith({
      codex: `exec ${SCRIPTED_CODEX.map((word) => `'${word}'`).join(' ')} "$@"`,
    });
    const env = { ...machine.env, SCRIPTED_SESSIONS: join(machine.cwd, 'sessions') };
    const done = await plugboard(['run', '--agent', 'codex', '-m', 'hello'], { ...machine, env });
    expect(done).toMatchObject({ code: 0, stdout: 'You said: hello\n' });
    const exec = ['run', '--dialect', 'codex/exec', '-m', 'hello', '--', 'codex'];
    expect(await plugboard(exec, { ...machine, env: { ...env, SCRIPTED_LINGER_MS: '60000' } })).toMatchObject(
      {
        code: 0,
        stdout: 'You said: hello\n',
      },
    );
    writeFileSync(join(machine.cwd, 'codex.yaml'), 'dialect: codex\n');
    const alone = await plugboard(['run', 'codex.yaml', '-m', 'hello'], { ...machine, env });
    expect(alone).toMatchObject({ code: 0, stdout: 'You said: hello\n' });
    expect((await plugboard(['init', '--force', '--agent', 'codex'], machine)).code).toBe(0);
    expect(readFileSync(join(machine.cwd, 'plugboard.yaml'), 'utf8')).toContain('dialect: codex');
    expect((await plugboard(['config', 'check'], machine)).code).toBe(0);
  });

  it('behind npx are written with the version that is now the newest', async () => {
    using machine = machineWith({
      npm: 'test "$1 $2 $3" = "view some-agent version" && echo 4.5.6',
      npx: 'echo started',
    });
    const init = ['init', '--force', '--dialect', 'terminal', '--'];
    const done = await plugboard([...init, 'npx', '-y', 'some-agent', '--acp'], machine);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('some-agent@4.5.6') });
    expect(readFileSync(join(machine.cwd, 'plugboard.yaml'), 'utf8')).toContain('some-agent@4.5.6');
    const other = await plugboard([...init, 'npx', 'other-agent'], machine);
    expect(other.stderr).toContain('Write other-agent@VERSION');
    const pinned = await plugboard([...init, 'npx', '@a/some-agent@1.0.0'], machine);
    expect(pinned.stderr).not.toContain('newer');
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scaffoldWithBackend } from '../../src/commands/init/backend-files.ts';
import { createBackendProject, createByteScript, READ } from '../backend-project.ts';

const hooks = { afterScaffold: scaffoldWithBackend };
const wrote = (files: unknown): string =>
  JSON.stringify({ type: 'success', operation: 'project-scaffold', files });

describe('nib init with a backend', () => {
  it('nib init lists the files that the backend wrote', async () => {
    const script = `${READ}\nmkdir -p .own; echo hi > AGENT.md; echo hi > .own/skill; printf '%s' '${wrote(['AGENT.md', '.own/skill', 'ghost.md'])}'`;
    using staged = createBackendProject(script);
    const { code, out, err } = await staged.nib('init x --no-git', { hooks });
    expect({ code, out }).toEqual({ code: 0, out: 'AGENT.md\n.own/skill\n' });
    expect(err).toContain('says it wrote ghost.md, which is not there');
    expect(staged.got()).toEqual([
      { operation: 'project-scaffold', dir: join(staged.root, 'x'), project_name: 'x' },
    ]);
  });

  it('nib init --agent asks the named backend', async () => {
    using staged = createBackendProject(createByteScript('{"type":"error","error":"the wrong one"}'));
    staged.tool('nib-agent-named', createByteScript(wrote([])));
    const { code, err } = await staged.nib('init x --no-git --agent named', { hooks });
    expect(code).toBe(0);
    expect(err).not.toContain('warning');
  });

  it.each([
    ['is missing', undefined, 'there is no nib-agent-none on the PATH'],
    ['reports an error', createByteScript('{"type":"error","error":"no key"}'), 'no key'],
    ['fails', 'echo broken >&2; exit 9', 'nib-agent-none failed: broken'],
    ['names a file outside', createByteScript(wrote(['../evil.md'])), 'not a path inside the project'],
    ['names an absolute file', createByteScript(wrote(['/etc/passwd'])), 'not a path inside the project'],
    ['answers with no list', createByteScript(wrote('AGENT.md')), 'list of strings'],
  ])('nib init makes a usable project when the backend %s', async (_what, script, words) => {
    using staged = createBackendProject('exit 1');
    if (script !== undefined) staged.tool('nib-agent-none', script);
    const { code, out, err } = await staged.nib('init x --no-git --agent none', { hooks });
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain('warning: the backend has added no files of its own.');
    expect(err).toContain(words);
    expect(existsSync(join(staged.root, 'x/book.yaml'))).toBe(true);
  });

  it('nib init does not follow a link of the backend out of the project', async () => {
    using staged = createBackendProject(
      `cat >/dev/null; ln -s /etc out; printf '%s' '${wrote(['out/passwd'])}'`,
    );
    const { out, err } = await staged.nib('init x --no-git', { hooks });
    expect(out).toBe('');
    expect(err).toContain('leads out of the project');
  });
});

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaudeTest, createResultLine } from './claude-test.ts';

const PATHS = { paths: ['scenes/dawn.md', 'scenes/the long day.md'] };

type Call = readonly [tool: string, input: Readonly<Record<string, string>>];

/** The decisions of the hook about calls in an operation; `ROOT` in a path is the project. */
async function decisions(
  operation: string,
  fields: object,
  calls: readonly Call[],
): Promise<readonly string[]> {
  using at = createClaudeTest();
  symlinkSync('/etc', join(at.novel.root, 'scenes/etc'));
  symlinkSync('noon.md', join(at.novel.root, 'scenes/other.md'));
  const text = JSON.stringify(calls).replaceAll('ROOT', at.novel.root);
  const says = at.says(createResultLine({ result: 'Done.', structured_output: {} }));
  const done = await at.ask(operation, fields, { ...says, CLAUDE_CALLS: text }).done;
  expect(done.code).toBe(0);
  return at.starts()[0]?.decisions ?? [];
}

const read = (file_path: string): Call => ['Read', { file_path }];
const edit = (file_path: string): Call => ['Edit', { file_path, old_string: 'a', new_string: 'b' }];

describe('nib-agent-claude, confined by a hook', { concurrent: true }, () => {
  it('claude reads and edits only the named scenes in a proof', async () => {
    const calls = [
      [read('ROOT/scenes/dawn.md'), 'allow'],
      [edit('ROOT/scenes/dawn.md'), 'allow'],
      [edit('scenes/the long day.md'), 'allow'],
      [read('STYLE.md'), 'allow'],
      [edit('STYLE.md'), 'deny'],
      [read('ROOT/scenes/noon.md'), 'deny'],
      [edit('ROOT/scenes/noon.md'), 'deny'],
      [edit('scenes/other.md'), 'deny'],
      [edit('ROOT/../outside.md'), 'deny'],
      [edit('/etc/passwd'), 'deny'],
      [edit('scenes/dawn.md/../../../outside.md'), 'deny'],
      [['Write', { file_path: 'ROOT/scenes/dawn.md', content: '' }], 'deny'],
      [['Bash', { command: 'ls' }], 'deny'],
      [['mcp__files__write', { path: 'x' }], 'deny'],
      [['Read', {}], 'deny'],
    ] as const;
    expect(
      await decisions(
        'scene-proof',
        PATHS,
        calls.map(([call]) => call),
      ),
    ).toEqual(calls.map(([, decision]) => decision));
  });

  it('claude reads only the named scenes and the profile in a voice check', async () => {
    const calls = [
      read('scenes/dawn.md'),
      read('characters/ada.yaml'),
      read('characters/bo.yaml'),
      read('scenes/noon.md'),
    ];
    expect(await decisions('voice-check', { ...PATHS, character_slug: 'ada' }, calls)).toEqual([
      'allow',
      'allow',
      'deny',
      'deny',
    ]);
  });

  it('claude reads only the project for a question', async () => {
    const calls: readonly (readonly [Call, string])[] = [
      [read('scenes/noon.md'), 'allow'],
      [read('scenes/etc/passwd'), 'deny'],
      [read('/etc/passwd'), 'deny'],
      [edit('scenes/noon.md'), 'deny'],
      [['Grep', { pattern: 'x' }], 'allow'],
      [['Grep', { pattern: 'x', path: '/etc' }], 'deny'],
      [['Glob', { pattern: 'scenes/*.md' }], 'allow'],
      [['Glob', { pattern: '/etc/*' }], 'deny'],
      [['Glob', { pattern: '../*' }], 'deny'],
      [['Bash', { command: 'nib ct recap 1-3 --detailed' }], 'allow'],
      [['Bash', { command: 'nib ma toc' }], 'allow'],
      [['Bash', { command: 'nib ct recap 1; rm -r scenes' }], 'deny'],
      [['Bash', { command: 'nib ct recap 1 > scenes/dawn.md' }], 'deny'],
      [['Bash', { command: 'nib ct recap $(id)' }], 'deny'],
      [['Bash', { command: 'nib ma proof 1' }], 'deny'],
    ];
    expect(
      await decisions(
        'continuity-ask',
        { question: 'Who?' },
        calls.map(([call]) => call),
      ),
    ).toEqual(calls.map(([, decision]) => decision));
  });

  it('the hook lets the data of an index through', async () => {
    const calls: readonly Call[] = [
      ['StructuredOutput', { scene: 'x' }],
      read('scenes/dawn.md'),
      ['Grep', { pattern: 'x' }],
    ];
    expect(await decisions('continuity-index', { context: 'c', schema: { type: 'object' } }, calls)).toEqual([
      'allow',
      'allow',
      'deny',
    ]);
  });
});

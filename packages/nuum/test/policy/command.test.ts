import { describe, expect, it } from 'vitest';
import { splitCommand, suspects } from '../../src/policy/command.ts';

describe('splitting a command line', () => {
  it.each([
    ['git status', ['git status']],
    ['a && b || c; d | e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a\nb', ['a', 'b']],
    ['a \\\n  b', ['a b']],
    ["echo 'a; b' && c", ["echo 'a; b'", 'c']],
    ['echo "a | b"; c', ['echo "a | b"', 'c']],
    ['echo a\\;b', ['echo a\\;b']],
    ['make 2>&1 | tail', ['make 2>&1', 'tail']],
    ['make >/dev/null 2>&1', ['make >/dev/null 2>&1']],
    ['echo $HOME', ['echo $HOME']],
    ['a   b\tc', ['a b c']],
  ])('takes %j apart for certain', (line, parts) => {
    expect(splitCommand(line)).toEqual({ parts, certain: true });
  });

  it.each([
    'echo $(rm x)',
    'echo `rm x`',
    'echo "$(rm x)"',
    'echo "`rm x`"',
    'echo ${x:=$(rm y)}',
    'cat <<EOF\nrm x\nEOF',
    'diff <(rm a) b',
    '(rm x)',
    'git log > ~/.bashrc',
    'git log >> file',
    'cat < /etc/passwd',
    "echo 'unclosed",
    'echo "unclosed',
    "git log # it's\nrm -rf x '",
    "echo $'a\\'; rm x'",
    'if true; then rm x; fi',
    'for f in *; do rm $f; done',
    '{ rm x; }',
    '! git status',
    'git status\r rm x',
    'a \\',
    'echo "open\\"',
    `git log >${' '.repeat(54)}/dev/nullish`,
    'git log >/dev/null/../x',
    '{rm,-rf,x}',
  ])('is not certain of %j', (line) => {
    expect(splitCommand(line).certain).toBe(false);
  });
});

describe('what a refusing rule is held against', () => {
  it.each([
    ['git status; rm -rf x', 'rm -rf x'],
    ['echo $(rm -rf x)', 'rm -rf x'],
    ['echo "`rm -rf x`"', 'rm -rf x'],
    ['sudo rm -rf x', 'rm -rf x'],
    ['FOO=1 rm -rf x', 'rm -rf x'],
    ['/bin/rm -rf x', 'rm -rf x'],
    ['r\\m -rf x', 'rm -rf x'],
    ['"rm" -rf x', 'rm -rf x'],
    ['bash -c "rm -rf x"', 'rm -rf x'],
    ['timeout 5 rm -rf x', 'rm -rf x'],
    ['if true; then rm -rf x; fi', 'rm -rf x'],
    ['(rm -rf x)', 'rm -rf x'],
    ['{rm,-rf,x}', 'rm'],
    ["git log # it's\nrm -rf x '", 'rm -rf x'],
  ])('%j may run %j', (line, command) => {
    expect(suspects(line)).toContain(command);
  });

  it('stays small on a long line', () => {
    const started = performance.now();
    expect(suspects(`sudo ${'a; '.repeat(20_000)}`).length).toBeLessThan(100);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

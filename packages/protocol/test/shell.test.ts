import { describe, expect, it } from 'vitest';
import { templateProblem } from '../src/dialects/terminal/command.ts';
import { SAFE, UNSAFE } from './shell-templates.ts';

describe('a command template', () => {
  it.each(SAFE)('may hold the placeholder as in %j', (shell) => {
    expect(templateProblem({ shell })).toBeUndefined();
  });

  it.each(UNSAFE)('may not hold it as in %j', (shell, problem) => {
    expect(templateProblem({ shell })).toContain(problem);
  });

  it('may hold anything where there is no placeholder', () => {
    expect(templateProblem({ shell: 'cat <<E\n"$\'E' })).toBeUndefined();
    expect(templateProblem({ argv: ['sh', '-c', 'echo "$1"', 'sh', '{message}'] })).toBeUndefined();
  });

  it('of a list may not have the message inside a word, which could be a script', () => {
    expect(templateProblem({ argv: ['sh', '-c', '"{message}"'] })).toContain('a word of its own');
  });

  it('is read in time that grows with it', () => {
    const started = process.threadCpuUsage();
    for (const part of ['"', '$(', '${', '(', '\\', 'eval ', 'a=b ', "'x'"]) {
      templateProblem({ shell: `${part.repeat(20_000)}{message}` });
    }
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(3_000);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { example } from './agents.ts';

// A fence that names a file after its language promises to be that file.
const FENCE = /^```\w+ examples\/(\S+)\n([\s\S]*?)^```$/gm;

describe.each(['agent.md', 'host.md'])('%s', (page) => {
  const blocks = [...readFileSync(example(`../docs/${page}`), 'utf8').matchAll(FENCE)];

  it('shows examples', () => {
    expect(blocks.length).toBeGreaterThan(2);
  });

  it.each(blocks.map(([, path = '', block = '']) => ({ path, block })))('shows $path as it is', (shown) => {
    expect(shown.block).toBe(readFileSync(example(shown.path), 'utf8'));
  });
});

import { defineConfig } from 'vitest/config';

// Two projects: `unit` is fast and starts no agent of its own; `slow` runs real processes and whole programs.
const slow = ['**/*.slow.test.ts'];
const ignored = ['**/node_modules/**', '**/dist/**'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...slow, ...ignored],
          testTimeout: 10_000,
        },
      },
      { test: { name: 'slow', include: slow, exclude: ignored, testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});

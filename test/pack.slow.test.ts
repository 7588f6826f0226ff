import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifestOf, PROGRAMS, PUBLISHED, ROOT } from '../scripts/build/workspace.ts';

it.each(PUBLISHED)(
  'npm pack in packages/%s refuses to pack source under the name of the package',
  (folder) => {
    const cwd = join(ROOT, 'packages', folder);
    const { status, stderr, stdout } = spawnSync('npm', ['pack', '--dry-run'], { cwd, encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain(`npm pack ./packages/${folder}/dist`);
    expect(stdout).not.toContain('.tgz');
  },
);

it.each(PUBLISHED)('packages/%s depends on no package of ours that is not published', (folder) => {
  const published = PUBLISHED.map((one) => manifestOf(one).name);
  const ours = Object.keys(manifestOf(folder).dependencies ?? {}).filter((name) =>
    /^@plugboard\//.test(name),
  );
  expect(ours.filter((name) => !published.includes(name))).toEqual([]);
});

// Those that are built before any test; `scripts/build.deep.test.ts` builds, packs and installs all of them.
it.each(PROGRAMS)('npm pack of what is built for packages/%s works', (folder) => {
  const dist = join(ROOT, 'packages', folder, 'dist');
  const { status, stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', dist], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toContain(manifestOf(folder).version);
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import type { WhenDone } from '../harness.ts';

/** A page as it would be built: small, but of every kind. A secret lies beside it. */
export function pageFolder(whenDone: WhenDone = onTestEnd): string {
  const directory = temporaryDirectory();
  whenDone(() => directory[Symbol.dispose]());
  const page = join(directory.path, 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Page</title>');
  writeFileSync(join(page, 'assets', 'app.js'), 'export {};');
  writeFileSync(join(page, 'assets', 'app-0a1b2c3d.css'), 'main {}');
  writeFileSync(join(page, 'assets', 'app.js.map'), '{}');
  writeFileSync(join(directory.path, 'secret.txt'), 'outside-of-the-page');
  return page;
}

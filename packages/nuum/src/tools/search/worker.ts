import { parentPort } from 'node:worker_threads';
import { firstLineOf } from '../outcome.ts';
import { findFiles } from './find-files.ts';
import { findLines } from './find-lines.ts';
import type { SearchRequest } from './request.ts';

/*
 * Searches block: on file systems, and on regular expressions that take longer than the universe. Here they block a thread
 * that nobody talks to and that can be ended at any time.
 */
parentPort?.on('message', (request: SearchRequest) => {
  try {
    parentPort?.postMessage({ reply: request.kind === 'files' ? findFiles(request) : findLines(request) });
  } catch (error) {
    parentPort?.postMessage({ problem: firstLineOf(error) });
  }
});

#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Names its file rather than listing it.
await run((request) => {
  const answer = plain(request);
  return answer.files ? { ...answer, files: 'AGENT.md' } : answer;
});

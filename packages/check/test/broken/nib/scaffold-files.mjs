#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Lists what it meant to write.
await run((request) => {
  const answer = plain(request);
  return answer.files ? { ...answer, files: ['AGENT.md', 'STYLE.md'] } : answer;
});

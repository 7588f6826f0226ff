#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Lists a file that it did not write.
await run((request) => {
  const answer = plain(request);
  return answer.files ? { ...answer, files: ['AGENT.md', 'STYLE.md'] } : answer;
});

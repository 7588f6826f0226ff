#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Answers `continuity-index` with a `scene_type` that the schema does not list.
await run((request) => {
  const answer = plain(request);
  return answer.data
    ? { ...answer, data: { scene: { pov: 'bo', scene_type: 'dream', summary: '' }, facts: [] } }
    : answer;
});

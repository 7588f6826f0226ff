#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Has its own idea of a scene.
await run((request) => {
  const answer = plain(request);
  return answer.data
    ? { ...answer, data: { scene: { pov: 'bo', scene_type: 'dream', summary: '' }, facts: [] } }
    : answer;
});

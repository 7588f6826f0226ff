#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Answers `voice-check` with a success for `scene-proof`.
await run((request) =>
  request.operation === 'voice-check' ? plain({ operation: 'scene-proof' }) : plain(request),
);

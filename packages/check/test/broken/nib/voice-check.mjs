#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Answers another question.
await run((request) =>
  request.operation === 'voice-check' ? plain({ operation: 'scene-proof' }) : plain(request),
);

#!/usr/bin/env node
import { run } from '../../good/nib.mjs';

// Answers every operation with a well-formed `error`.
await run(() => ({ type: 'error', error: 'There is no key.' }));

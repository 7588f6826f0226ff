#!/usr/bin/env node
import { run } from '../../good/nib.mjs';

// Says in the best form that it can do nothing.
await run(() => ({ type: 'error', error: 'There is no key.' }));

#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Answers requests above 100 000 characters with an array.
await run((request) => ((request.context ?? '').length > 100_000 ? [] : plain(request)));

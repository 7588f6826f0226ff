#!/usr/bin/env node
import { plain, run } from '../../good/nib.mjs';

// Has no time for long requests.
await run((request) => ((request.context ?? '').length > 100_000 ? [] : plain(request)));

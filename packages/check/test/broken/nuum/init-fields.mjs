#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Does not say how old it is.
await run({ init: { ...parts.init, version: undefined } });

#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Omits `version` in `init`.
await run({ init: { ...parts.init, version: undefined } });

#!/usr/bin/env node
import { run } from '../../hosts/terminal.mjs';

// Decodes each read for itself.
await run({ manners: { decode: (onText) => (bytes) => onText(bytes.toString()) } });

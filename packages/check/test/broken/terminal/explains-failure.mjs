#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { plain } from '../../good/terminal.mjs';

// Exits with 1 on a broken envelope, without an `error` frame.
plain(JSON.parse(readFileSync(0, 'utf8')));

// Finds Chromium for the browser tests, and installs it with the package manager of the system if it is missing.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, installPackage } from './system-package.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe'];
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .filter((name) => process.env[name])
    .map((name) => join(process.env[name], 'Google', 'Chrome', 'Application', 'chrome.exe')),
];
const packages = {
  'apt-get': 'chromium',
  dnf: 'chromium',
  pacman: 'chromium',
  apk: 'chromium',
  brew: 'chromium',
  choco: 'googlechrome',
};

/** Path of Chromium, or undefined. `STANDPIPE_CHROMIUM` overrides it. */
export function findChromium() {
  if (process.env.STANDPIPE_CHROMIUM) return process.env.STANDPIPE_CHROMIUM;
  return findProgram(names) ?? places.find((path) => existsSync(path));
}

export function ensureChromium() {
  if (findChromium()) return;
  installPackage('Chromium', packages);
  if (findChromium()) return;
  throw new Error(
    'The browser tests need Chromium, which could not be installed. Install it, set STANDPIPE_CHROMIUM to its path, or set STANDPIPE_SKIP_BROWSER=1 to skip these tests.',
  );
}

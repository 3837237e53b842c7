// Finds a Chromium for the browser tests, and installs one by the system's package manager where there is none.

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

/** The path of a Chromium, or nothing. `STANDPIPE_CHROMIUM` says which one. */
export function findChromium() {
  if (process.env.STANDPIPE_CHROMIUM) return process.env.STANDPIPE_CHROMIUM;
  return findProgram(names) ?? places.find((path) => existsSync(path));
}

export function ensureChromium() {
  if (findChromium()) return;
  installPackage('Chromium', packages);
  if (findChromium()) return;
  throw new Error(
    'The browser tests need a Chromium, and none could be installed. Install one, name it in STANDPIPE_CHROMIUM, or set STANDPIPE_SKIP_BROWSER=1 to do without these tests.',
  );
}

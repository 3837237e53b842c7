// A page with data of others, such as a report: one HTML file without scripts and network access. The policy of the page allows only its own style.

import { createHash } from 'node:crypto';
import { htmlText } from '../../base/markup.ts';

const reportStyle = `
:root {
  color-scheme: light dark;
  --text: #1c2128; --quiet: #57606a; --page: #ffffff; --box: #f4f6f8; --line: #d0d7de; --link: #0550ae;
  --failed: #b3261e; --warning: #7a5300; --advice: #0a5c7a; --passed: #116329; --unfit: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --quiet: #9ea7b3; --page: #0d1117; --box: #161b22; --line: #30363d; --link: #79b8ff;
    --failed: #ff8a80; --warning: #e3b341; --advice: #76c7e0; --passed: #56d364; --unfit: #9ea7b3;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0 0 0.25rem; font-size: 1.6rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.2rem; }
h3 { display: inline; margin: 0; font-size: 1rem; font-weight: 600; }
p { margin: 0.4rem 0; }
a { color: var(--link); }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
.quiet { color: var(--quiet); }
.summary { font-size: 1.1rem; font-weight: 600; }
.rule { border-top: 1px solid var(--line); padding: 0.5rem 0; }
.line { display: grid; grid-template-columns: 9rem 1fr; gap: 0 0.75rem; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary .status::after { content: " ▸"; }
details[open] > summary .status::after { content: " ▾"; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.status { font-weight: 600; }
.failed .status, .failed .reason { color: var(--failed); }
.warning .status, .warning .reason { color: var(--warning); }
.advice .status, .advice .reason { color: var(--advice); }
.passed .status { color: var(--passed); }
.unfit .status { color: var(--unfit); }
.others { border-top: 1px solid var(--line); padding: 0.75rem 0; }
.others h2 { display: inline; margin: 0; font-size: 1.1rem; }
.others > summary::before { content: "▸ "; color: var(--quiet); }
.others[open] > summary::before { content: "▾ "; }
.others h3 { display: block; margin: 1.25rem 0 0.25rem; }
.others .rule { padding: 0.15rem 0; border: 0; }
.list { margin: 0.25rem 0 0.75rem; padding-left: 1.25rem; }
.list li { margin: 0.2rem 0; }
.list .status { font-size: 0.875rem; }
.group { margin: 0.75rem 0 0.75rem 9.75rem; }
.reason { font-weight: 600; }
.frames { margin: 0.5rem 0; padding: 0.5rem 0.75rem; list-style: none; background: var(--box); border: 1px solid var(--line); border-radius: 6px; }
.frames li { display: grid; grid-template-columns: 6rem 1fr; gap: 0.5rem; }
.frames pre { margin: 0; white-space: pre-wrap; }
.group pre { white-space: pre-wrap; }
@media (max-width: 40rem) {
  .line { grid-template-columns: 1fr; }
  .group { margin-left: 0; }
  .frames li { grid-template-columns: 1fr; gap: 0; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  summary .status::after, details[open] > summary .status::after { content: ""; }
  .frames li, .line { break-inside: avoid; }
  h2 { break-after: avoid; }
}
`;

export interface ReportPage {
  /** Plain text. */
  readonly title: string;
  readonly generator: string;
  /** HTML. */
  readonly header: string;
  readonly main: string;
  /** Default: that of the reports. */
  readonly style?: string;
}

export function reportPage({ title, generator, header, main, style = reportStyle }: ReportPage): string {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${generator}">
<title>${htmlText(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
${header}
</header>
<main>
${main}
</main>
</body>
</html>
`;
}

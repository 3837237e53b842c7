// The report as JUnit XML, which CI systems read: one test case for each request.

import { xmlAttribute, xmlText } from '../../base/markup.ts';
import { isVerifyFailure, type VerifyReport, type VerifyResult } from './report.ts';
import { changeTexts, differenceText, nameOfResult, statusWords } from './text.ts';

/** `strict`: fixed and slower requests fail as well, and so do those that an option would run. */
export function verifyJunit(report: VerifyReport, strict = false): string {
  const { results, file, server, revision, durationMs } = report;
  const failures = results.filter((result) => isVerifyFailure(result, strict)).length;
  const skipped = results.filter((result) => result.status === 'skipped' && !isVerifyFailure(result, strict)).length;
  const counts = ` tests="${results.length}" failures="${failures}" skipped="${skipped}" errors="0" time="${seconds(durationMs)}"`;
  const properties = { recording: file, server, revision };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="standpipe verify"${counts}>`,
    `  <testsuite name="${xmlAttribute(file)}"${counts}>`,
    '    <properties>',
    ...Object.entries(properties).map(
      ([name, value]) => `      <property name="${name}" value="${xmlAttribute(value)}"/>`,
    ),
    '    </properties>',
    ...results.map((result) => testCase(result, strict)),
    '  </testsuite>',
    '</testsuites>\n',
  ].join('\n');
}

function testCase(result: VerifyResult, strict: boolean): string {
  const { method, status, reason, isSlower, after } = result;
  const name = xmlAttribute(nameOfResult(result));
  const open = `    <testcase classname="standpipe.verify.${xmlAttribute(method)}" name="${name}" time="${seconds(after?.durationMs ?? 0)}"`;
  const word = isSlower && status === 'same' ? 'slower' : statusWords[status];
  const message = xmlAttribute(reason ?? word);
  const inside = () => {
    if (isVerifyFailure(result, strict))
      return `<failure type="${word}" message="${message}">${xmlText(detailsOf(result))}</failure>`;
    if (status === 'skipped') return `<skipped message="${message}"/>`;
    if (status === 'same' && !isSlower) return '';
    return `<system-out>${xmlText(`${word}: ${detailsOf(result)}`)}</system-out>`;
  };
  const content = inside();
  return content === '' ? `${open}/>` : `${open}>\n      ${content}\n    </testcase>`;
}

/** The parameters, the reason and the differences, one in each line. */
export function detailsOf({
  params,
  reason,
  changes = [],
  differences,
  stderr,
  before,
  after,
  isSlower,
}: VerifyResult): string {
  return [
    ...(params === undefined || params === '{}' ? [] : [`Parameters: ${params}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(isSlower ? [`${before?.durationMs} ms → ${after?.durationMs} ms`] : []),
    ...changes.flatMap((change) => changeTexts(change).map((text, at) => (at === 0 ? text : `  ${text}`))),
    ...differences.map(differenceText),
    ...(stderr === undefined ? [] : [`stderr: ${stderr}`]),
  ].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

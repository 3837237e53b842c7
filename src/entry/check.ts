// `standpipe/check`: tests servers and clients against the rules of their protocol.

export { type Protocol, type Role, type RuleInfo, rulesOf } from '../check/checks.ts';
export { type CheckClientOptions, checkClient } from '../check/client/check-client.ts';
export { type DefineCheckOptions, defineCheck } from '../check/define-check.ts';
export { type CheckLiteMcpClientOptions, checkLiteMcpClient } from '../check/litemcp/client/check-lite-client.ts';
export {
  type CheckLiteMcpServerOptions,
  checkLiteMcpServer,
} from '../check/litemcp/server/check-lite-server.ts';
export {
  applyBaseline,
  type Baseline,
  type BaselineEntry,
  baselineOf,
  parseBaseline,
} from '../check/report/baseline.ts';
export { htmlOf } from '../check/report/html.ts';
export { type JunitOptions, junitOf } from '../check/report/junit.ts';
export { type Finding, type Problem, problemsOf } from '../check/report/problems.ts';
export type { CheckReport, EvidenceLine, Outcome, StaleEntry, Status } from '../check/report/report.ts';
export { type TextOptions, textOf } from '../check/report/text.ts';
export type { NamedCall } from '../check/server/calls.ts';
export { type CheckServerOptions, checkServer } from '../check/server/check-server.ts';

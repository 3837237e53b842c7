// `standpipe/recording`: reads, replays and verifies recordings, and reads the live data of running taps and hosts.

export type { FlowEvent, FlowKind } from '../observe/flow/event.ts';
export { FlowStore, type FlowStoreOptions } from '../observe/flow/store.ts';
export { findLive, watchLive } from '../observe/live/find-live.ts';
export type { LiveDescriptor } from '../observe/live/runtime-folder.ts';
export {
  type ReaderOptions,
  type RecordingItem,
  readRecording,
  readRecordings,
  recordingFiles,
} from '../observe/record/reader.ts';
export { type Recorder, type RecorderOptions, record } from '../observe/record/recorder.ts';
export {
  type Cassette,
  type CassetteMode,
  type CassetteOptions,
  type CassetteTarget,
  cassette,
} from '../observe/replay/cassette.ts';
export { type ReplayOptions, type ReplayService, replay } from '../observe/replay/replay-service.ts';
export type { AllowedCall, SetValue, VerifyOptions, VerifyTarget } from '../observe/verify/options.ts';
export type {
  SkipCause,
  VerifyDifference,
  VerifyReport,
  VerifyResult,
  VerifySide,
  VerifyStatus,
} from '../observe/verify/report.ts';
export { isVerifyFailure } from '../observe/verify/report.ts';
export type { VerifyRule } from '../observe/verify/rules.ts';
export { verify } from '../observe/verify/verify.ts';

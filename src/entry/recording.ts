// `standpipe/recording`: reads recordings, and the live data of running taps and hosts.

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

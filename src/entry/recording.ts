// `standpipe/recording`: reads recordings, and the live data of running taps and hosts.

export type { FlowEvent, FlowKind } from '../flow/event.ts';
export { FlowStore, type FlowStoreOptions } from '../flow/store.ts';
export type { LiveDescriptor } from '../live/descriptor.ts';
export { findLive, watchLive } from '../live/find-live.ts';
export {
  type ReaderOptions,
  type RecordingItem,
  readRecording,
  readRecordings,
  recordingFiles,
} from '../record/reader.ts';
export { type Recorder, type RecorderOptions, record } from '../record/recorder.ts';

/** What others need of recordings: where they are, and who works on them. */
export { bringRecordingsOut } from './bring-out.ts'
export { joinParts, type RecordingPart, UnjoinableParts } from './guacamole/join-parts.ts'
export { LineTooLong } from './lines.ts'
export { isDamaged, unpacked } from './packed-file.ts'
export { ifNobodyRebuilds, withRecordingLock } from './recording-lock.ts'
export {
  markReplay,
  recordedSha256,
  recordingStore,
  recordingsOutside,
  replayFolder,
  replayName,
  replayPath,
  sealedReplay,
} from './replay-file.ts'
export { readMoment } from './seek.ts'
export { type RecordingStore, StoreRefusal } from './store/recording-store.ts'
export { S3Bucket } from './store/s3-bucket.ts'
export { packInThread, screenInThread } from './threads.ts'

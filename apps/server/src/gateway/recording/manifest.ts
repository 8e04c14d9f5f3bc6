import { basename } from 'node:path'
import { isUuid } from '../../kernel/resource/conditions.ts'

/** Consecutive whole lines of a recording, as one object in the store. */
export interface Segment {
  name: string
  /** Offset in the recording. */
  from: number
  bytes: number
  sha256: string
  /** Time of its last event, in seconds of the recording. */
  last: number
}

/** The parts of a recording in progress that have left its node. */
export interface Manifest {
  version: 1
  /** Name of the recording in progress: `2026-11-21/<session>.cast`. */
  recording: string
  segments: Segment[]
}

export const MANIFESTS = 'manifests/'
/** Offsets are padded so that names sort like numbers, up to a petabyte. */
const DIGITS = 15

export const manifestName = (recording: string) => `${MANIFESTS}${basename(recording)}.json`
export const segmentsOf = (recording: string) => `segments/${basename(recording)}/`
export const segmentName = (recording: string, from: number, bytes: number) =>
  `${segmentsOf(recording)}${String(from).padStart(DIGITS, '0')}-${bytes}`

/** The session whose manifest has that name; undefined for other names. */
export function sessionOfManifest(name: string): string | undefined {
  const [, id = ''] = /^manifests\/([^/.]+)\.(?:cast|statements|desktop)\.json$/.exec(name) ?? []
  return isUuid(id) ? id : undefined
}

/** Undefined unless it fits its name: a person who can write to the store must not choose paths. */
export function parseManifest(name: string, json: string): Manifest | undefined {
  try {
    const { version, recording, segments } = JSON.parse(json) as Manifest
    const isNamed =
      /^\d{4}-\d{2}-\d{2}\/[^/]+$/.test(recording) && sessionOfManifest(name) && manifestName(recording) === name
    const isWhole = segments.every(({ name: one, from, bytes }) => one === segmentName(recording, from, bytes))
    return version === 1 && isNamed && isWhole ? { version, recording, segments } : undefined
  } catch {
    return undefined
  }
}

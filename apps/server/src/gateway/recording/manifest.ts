import { basename } from 'node:path'
import { isUuid } from '../../kernel/resource/conditions.ts'

/** A run of whole lines of a recording, as it lies in the store. */
export interface Segment {
  name: string
  /** Where it begins in the recording. */
  from: number
  bytes: number
  sha256: string
  /** Of its last event, in seconds of the recording. */
  last: number
}

/** What has left the node of a recording that is being written. */
export interface Manifest {
  version: 1
  /** What the recording is called where it is written: `2026-11-21/<session>.cast`. */
  recording: string
  segments: Segment[]
}

export const MANIFESTS = 'manifests/'
/** Sorted as numbers are, up to a petabyte. */
const DIGITS = 15

export const manifestName = (recording: string) => `${MANIFESTS}${basename(recording)}.json`
export const segmentsOf = (recording: string) => `segments/${basename(recording)}/`
export const segmentName = (recording: string, from: number, bytes: number) =>
  `${segmentsOf(recording)}${String(from).padStart(DIGITS, '0')}-${bytes}`

/** The session whose manifest lies under that name; undefined when it is no manifest's. */
export function sessionOfManifest(name: string): string | undefined {
  const [, id = ''] = /^manifests\/([^/.]+)\.(?:cast|statements)\.json$/.exec(name) ?? []
  return isUuid(id) ? id : undefined
}

/** Undefined for what is no manifest of that name: whoever can write to the store names no paths. */
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

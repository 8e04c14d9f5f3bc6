import type { ReplayMark } from '@sallyport/contract/replay.ts'
import { t } from '../../lib/i18n.ts'

/** Places on the time line, by what happened there. */
export interface Marker {
  /** Second of the recording. */
  time: number
  label: string
  isDangerous: boolean
  /** A file went to or from the machine. */
  isFile?: boolean
  /** How many keys were pressed up to here, of a mark that says no more. */
  keys?: number
}

/** Places that would be drawn on top of each other are drawn as one. */
const PLACES = 300
const LABELS = 3
/** Characters of a clipboard that was kept. */
const SHOWN = 60

/**
 * One marker for each place of the line, with the first few of what is there in its label, and all
 * keys together.
 */
export function mergeMarkers(markers: readonly Marker[], duration: number): Marker[] {
  const places = new Map<number, Marker[]>()
  for (const marker of markers) {
    if (!(marker.time >= 0 && marker.time <= duration)) continue
    const place = duration > 0 ? Math.floor((marker.time / duration) * PLACES) : 0
    const there = places.get(place)
    if (there) there.push(marker)
    else places.set(place, [marker])
  }
  return [...places.values()].map((there) => {
    const events = there.filter(({ keys }) => keys === undefined)
    const keys = there.reduce((sum, one) => sum + (one.keys ?? 0), 0)
    const labels = [...events.slice(0, LABELS).map(({ label }) => label), ...(events.length > LABELS ? ['…'] : [])]
    return {
      time: (events[0] ?? (there[0] as Marker)).time,
      label: [...labels, ...(keys ? [keysWords(keys)] : [])].join('\n'),
      isDangerous: there.some(({ isDangerous }) => isDangerous),
      ...(there.some(({ isFile }) => isFile) ? { isFile: true } : {}),
      ...(events.length ? {} : { keys }),
    }
  })
}

const keysWords = (count: number) => t('{{count|key|keys}} pressed', { count })

/** The marker at most so many seconds from a moment; the nearest. */
export function markerNear(markers: readonly Marker[], time: number, within: number): Marker | undefined {
  let nearest: Marker | undefined
  for (const marker of markers) {
    const distance = Math.abs(marker.time - time)
    if (distance <= within && (!nearest || distance < Math.abs(nearest.time - time))) nearest = marker
  }
  return nearest
}

/** A file that went through a terminal. */
export interface FileRow {
  operate: string
  filename: string
  is_success: boolean
}

/** A file at the second when it was over. */
export function fileMarker({ operate, filename, is_success }: FileRow, time: number): Marker {
  const name = { name: filename }
  const label = operate === 'Upload' ? t('File to the asset: {{name}}', name) : t('File from the asset: {{name}}', name)
  return {
    time,
    label: is_success ? label : `${label} · ${t('failed@@file')}`,
    isDangerous: !is_success,
    isFile: true,
  }
}

/** What happened beside the picture of a desktop. */
export function markerOf(mark: ReplayMark): Marker {
  const { time, kind, count = 0, refused } = mark
  if (kind === 'keys') return { time, label: keysWords(count), isDangerous: false, keys: count }
  const label = wordsOf(mark)
  return {
    time,
    label: refused ? `${label} · ${t('refused')}` : label,
    isDangerous: refused === true,
    ...(kind === 'upload' || kind === 'download' || mark.files !== undefined ? { isFile: true } : {}),
  }
}

function wordsOf({ kind, characters = 0, files, text = '' }: ReplayMark): string {
  switch (kind) {
    case 'copy':
      if (files !== undefined) return t('Copied on the desktop: {{files|file|files}}', { files })
      return withText(t('Copied from the desktop: {{characters|character|characters}}', { characters }), text)
    case 'paste':
      if (files !== undefined) return t('Pasted into the desktop: {{files|file|files}}', { files })
      return withText(t('Pasted into the desktop: {{characters|character|characters}}', { characters }), text)
    case 'upload':
      return t('File to the desktop: {{name}}', { name: text })
    case 'download':
      return t('File from the desktop: {{name}}', { name: text })
    default:
      return text
  }
}

/** With the first line of a clipboard that was kept, as far as it has a place. */
function withText(words: string, text: string): string {
  if (!text) return words
  const [line = ''] = text.split(/\r\n|\r|\n/, 1)
  const isCut = line.length > SHOWN || line.length < text.trimEnd().length
  return `${words}: ${line.slice(0, SHOWN)}${isCut ? '…' : ''}`
}

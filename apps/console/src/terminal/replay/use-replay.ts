import { useEffect, useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { loadFileMarkers, loadMarkers } from './command-rows.ts'
import { findFault, openIndexed } from './indexed-recording.ts'
import { type Marker, markerOf } from './markers.ts'
import { olderRecording, partAt, type Recording, wholeRecording } from './recording.ts'
import { fetchRecording, type ReplayAnswer, waitForReplay } from './replay-answer.ts'

/** Recordings with a text or marks; those of older suffixes are played alone. */
const IS_SEARCHED = /\.(?:cast|desktop)\.gz$/
const NO_MARKERS: readonly Marker[] = []

/**
 * The recording of a session and the marks of its commands, each as soon as it is there. `error`:
 * it can't be played; `fault`: it plays, and something is wrong with it.
 */
export function useReplay(sessionId: string) {
  const [answer, setAnswer] = useState<ReplayAnswer>()
  const [opened, setOpened] = useState<{ recording: Recording; isIndexed: boolean }>()
  const [markers, setMarkers] = useState(NO_MARKERS)
  const [error, setError] = useState<string>()
  const [fault, setFault] = useState<string>()

  useEffect(() => {
    const leaving = new AbortController()
    const read = async () => {
      // Asked at once, because most recordings have an index; what it says is of use only when
      // there is a recording.
      const indexed = openIndexed(sessionId, leaving.signal)
      indexed.catch(() => {})
      const found = await waitForReplay(sessionId, leaving.signal)
      setAnswer(found)
      if (found.type === 'statements') throw new Error(t('This kind of recording can only be downloaded.'))
      const inPieces =
        found.type === 'desktop'
          ? await openDesktopRecording(await indexed, leaving.signal)
          : await openGuacamole(found, await indexed)
      const recording = inPieces ?? (await openWhole(found, leaving.signal))
      setOpened({ recording, isIndexed: inPieces !== undefined && IS_SEARCHED.test(found.src) })
      const span = { sessionId, dateStart: found.date_start, dateEnd: found.date_end }
      // Without marks and with a file that nobody can vouch for it plays all the same; the list of
      // commands tells its own failure.
      if (recording.marks) setMarkers(recording.marks.map(markerOf))
      else {
        const add = (more: readonly Marker[]) =>
          setMarkers((known) => [...known, ...more].sort((a, b) => a.time - b.time))
        for (const load of [
          loadMarkers(span, startOf(recording, found)),
          loadFileMarkers(sessionId, startOf(recording, found)),
        ])
          load.then(add, () => {})
      }
      setFault(await findFault(sessionId, leaving.signal))
    }
    read().catch((failure: unknown) => {
      if (!leaving.signal.aborted) setError(errorText(failure))
    })
    return () => leaving.abort()
  }, [sessionId])
  return { answer, opened, markers, error, fault, setFault }
}

/** A desktop is played by its pieces alone: each begins with a whole picture. @throws Error */
async function openDesktopRecording(recording: Recording | undefined, signal: AbortSignal): Promise<Recording> {
  if (!recording) throw new Error(t('This kind of recording can only be downloaded.'))
  const { desktopRecording, thumbnails } = await import('./desktop-stage.ts')
  const small = thumbnails(recording, (seconds) => partAt(recording.parts, seconds))
  signal.addEventListener('abort', small.close)
  return { ...desktopRecording(recording), thumbnails: small }
}

/** The content of the file decides, since its name does not. @throws Error for one of Guacamole that is damaged */
async function openGuacamole({ type }: ReplayAnswer, recording: Recording | undefined): Promise<Recording | undefined> {
  const { guacamole } = recording ?? {}
  if (type === 'guacamole' && !guacamole) throw new Error(t('The recording is damaged'))
  if (!recording || !guacamole) return recording
  const { guacamoleRecording } = await import('./guacamole/guacamole-recording.ts')
  return guacamoleRecording(recording, guacamole, guacamole.text)
}

/** Second 0 of the recording, in Unix seconds. */
export function startOf(recording: Recording | undefined, answer: ReplayAnswer): number {
  return recording?.start ?? Date.parse(answer.date_start) / 1000
}

/** A recording without an index: the old kind, or one that is damaged somewhere. @throws Error */
async function openWhole({ src, type }: ReplayAnswer, signal: AbortSignal): Promise<Recording> {
  const text = await fetchRecording(src, signal)
  return type === 'json' ? olderRecording(text) : wholeRecording(text)
}

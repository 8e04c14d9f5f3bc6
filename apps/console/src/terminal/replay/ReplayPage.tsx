import { useEffect, useRef, useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { SessionFacts } from '../session/SessionFacts.tsx'
import { Watermark } from '../session/Watermark.tsx'
import { pageTitle, type Viewer, watermarkText } from '../viewer.ts'
import { CommandList } from './CommandList.tsx'
import { loadMarkers } from './command-rows.ts'
import { DownloadMenu } from './DownloadMenu.tsx'
import { findFault, openIndexed } from './indexed-recording.ts'
import type { Marker } from './markers.ts'
import type { Player } from './player.ts'
import { RecordingPlayer } from './RecordingPlayer.tsx'
import { olderRecording, type Recording, seekTarget, wholeRecording } from './recording.ts'
import { fetchRecording, type ReplayAnswer, waitForReplay } from './replay-answer.ts'
import { SearchPanel } from './SearchPanel.tsx'

const NO_MARKERS: readonly Marker[] = []

/**
 * The recording of a session beside its commands. The address may name a `timestamp` (Unix seconds)
 * to begin at.
 */
export function ReplayPage({ viewer, sessionId }: { viewer: Viewer; sessionId: string }) {
  const { answer, opened, markers, error, fault, setFault } = useReplay(sessionId)
  const player = useRef<Pick<Player, 'seek'>>(null)
  useEffect(() => {
    document.title = pageTitle(viewer)
  }, [viewer])

  const start = answer ? startOf(opened?.recording, answer) : 0
  const asked = Number(new URLSearchParams(location.search).get('timestamp'))
  const watermark = answer && watermarkText(viewer, answer.asset)
  return (
    <main className="wt wt-replay">
      {answer && (
        <ReplayHeader answer={answer} sessionId={sessionId} isIndexed={opened?.isIndexed === true} onError={setFault} />
      )}
      {(error ?? fault) && (
        <p className="wt-error" role="alert">
          {error ?? fault}
        </p>
      )}
      {!error && !opened && (
        <p className="wt-welcome" role="status">
          {t('Loading')}
        </p>
      )}
      {answer && opened && (
        <div className="wt-replay-body">
          <div className="wt-replay-side">
            {opened.isIndexed && (
              <SearchPanel sessionId={sessionId} onSeek={(seconds) => player.current?.seek(seconds)} />
            )}
            <CommandList
              sessionId={sessionId}
              start={start}
              dateStart={answer.date_start}
              dateEnd={answer.date_end}
              onSeek={(seconds) => player.current?.seek(seekTarget(seconds))}
            />
          </div>
          <div className="wt-panes">
            <RecordingPlayer
              ref={player}
              recording={opened.recording}
              startAt={asked > start ? seekTarget(asked - start) : 0}
              markers={markers}
            />
            {watermark && <Watermark text={watermark} />}
          </div>
        </div>
      )}
    </main>
  )
}

interface ReplayHeaderProps {
  answer: ReplayAnswer
  sessionId: string
  isIndexed: boolean
  onError: (error: string) => void
}

function ReplayHeader({ answer, sessionId, isIndexed, onError }: ReplayHeaderProps) {
  return (
    <header className="wt-info">
      <SessionFacts
        user={answer.user}
        asset={answer.asset}
        systemUser={answer.system_user}
        other={{ label: t('Start time'), value: formatDate(answer.date_start) }}
      />
      {isIndexed ? (
        <DownloadMenu address={answer.download_url} sessionId={sessionId} onError={onError} />
      ) : (
        <a href={answer.download_url} download>
          {t('Download')}
        </a>
      )}
    </header>
  )
}

/**
 * The recording of a session and the marks of its commands, each as soon as it is there. `error`:
 * it can't be played; `fault`: it plays, and something is wrong with it.
 */
function useReplay(sessionId: string) {
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
      if (found.type === 'guacamole') throw new Error(t('This kind of recording can only be downloaded.'))
      const inPieces = await indexed
      const recording = inPieces ?? (await openWhole(found, leaving.signal))
      setOpened({ recording, isIndexed: inPieces !== undefined })
      const span = { sessionId, dateStart: found.date_start, dateEnd: found.date_end }
      // Without marks and with a file that nobody can vouch for it plays all the same; the list of
      // commands tells its own failure.
      loadMarkers(span, startOf(recording, found)).then(setMarkers, () => {})
      setFault(await findFault(sessionId, leaving.signal))
    }
    read().catch((failure: unknown) => {
      if (!leaving.signal.aborted) setError(errorText(failure))
    })
    return () => leaving.abort()
  }, [sessionId])
  return { answer, opened, markers, error, fault, setFault }
}

/** Second 0 of the recording, in Unix seconds. */
function startOf(recording: Recording | undefined, answer: ReplayAnswer): number {
  return recording?.start ?? Date.parse(answer.date_start) / 1000
}

/** A recording without an index: the old kind, or one that is damaged somewhere. @throws Error */
async function openWhole({ src, type }: ReplayAnswer, signal: AbortSignal): Promise<Recording> {
  const text = await fetchRecording(src, signal)
  return type === 'json' ? olderRecording(text) : wholeRecording(text)
}

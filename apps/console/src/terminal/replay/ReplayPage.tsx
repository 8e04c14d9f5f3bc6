import { useEffect, useRef, useState } from 'react'
import { errorText } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { pageTitle, type Viewer, watermarkText } from '../viewer.ts'
import { Watermark } from '../Watermark.tsx'
import { CastPlayer, type CastPlayerHandle } from './CastPlayer.tsx'
import { CommandList } from './CommandList.tsx'
import { type Recording, readCast, readJsonReplay, seekTarget } from './recording.ts'
import { fetchRecording, type ReplayAnswer, waitForReplay } from './replay-answer.ts'

/** The recording of a session beside its commands. The address may name a `timestamp` (Unix seconds) to begin at. */
export function ReplayPage({ viewer, sessionId }: { viewer: Viewer; sessionId: string }) {
  const [answer, setAnswer] = useState<ReplayAnswer>()
  const [recording, setRecording] = useState<Recording>()
  const [error, setError] = useState<string>()
  const player = useRef<CastPlayerHandle>(null)

  useEffect(() => {
    document.title = pageTitle(viewer)
    const leaving = new AbortController()
    const read = async () => {
      const found = await waitForReplay(sessionId, leaving.signal)
      setAnswer(found)
      if (found.type === 'guacamole') throw new Error(t('This kind of recording can only be downloaded.'))
      const text = await fetchRecording(found.src, leaving.signal)
      setRecording(found.type === 'json' ? readJsonReplay(text) : readCast(text))
    }
    read().catch((failure: unknown) => {
      if (!leaving.signal.aborted) setError(errorText(failure))
    })
    return () => leaving.abort()
  }, [viewer, sessionId])

  const start = recording?.start ?? (answer ? Date.parse(answer.date_start) / 1000 : 0)
  const asked = Number(new URLSearchParams(location.search).get('timestamp'))
  const watermark = answer && watermarkText(viewer, answer.asset)
  return (
    <main className="wt wt-replay">
      {answer && (
        <header className="wt-info">
          <dl>
            <dt>{t('User')}</dt>
            <dd>{answer.user}</dd>
            <dt>{t('Asset')}</dt>
            <dd>{answer.asset}</dd>
            <dt>{t('System user')}</dt>
            <dd>{answer.system_user}</dd>
            <dt>{t('Start time')}</dt>
            <dd>{formatDate(answer.date_start)}</dd>
          </dl>
          <a href={answer.download_url} download>
            {t('Download')}
          </a>
        </header>
      )}
      {error && (
        <p className="wt-error" role="alert">
          {error}
        </p>
      )}
      {!error && !recording && (
        <p className="wt-welcome" role="status">
          {t('Loading')}
        </p>
      )}
      {answer && recording && (
        <div className="wt-replay-body">
          <CommandList
            sessionId={sessionId}
            start={start}
            dateStart={answer.date_start}
            dateEnd={answer.date_end}
            onSeek={(offset) => player.current?.seek(seekTarget(offset))}
          />
          <div className="wt-panes">
            <CastPlayer ref={player} recording={recording} startAt={asked > start ? seekTarget(asked - start) : 0} />
            {watermark && <Watermark text={watermark} />}
          </div>
        </div>
      )}
    </main>
  )
}

import { useEffect, useRef } from 'react'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Watermark } from '../pane/Watermark.tsx'
import { SessionFacts } from '../session/SessionFacts.tsx'
import { pageTitle, type Viewer, watermarkOf } from '../viewer.ts'
import { CommandList } from './CommandList.tsx'
import { DownloadMenu } from './DownloadMenu.tsx'
import { MarkList } from './MarkList.tsx'
import type { Player } from './player.ts'
import { RecordingPlayer } from './RecordingPlayer.tsx'
import { DESKTOP_LEAD_S, seekTarget } from './recording.ts'
import type { ReplayAnswer } from './replay-answer.ts'
import { SearchPanel } from './SearchPanel.tsx'
import { startOf, useReplay } from './use-replay.ts'

/**
 * The recording of a session beside its commands. The address may name a `timestamp` (Unix seconds)
 * to begin at.
 */
export function ReplayPage({ viewer, sessionId }: { viewer: Viewer; sessionId: string }) {
  const { answer, opened, markers, error, fault, setFault } = useReplay(sessionId)
  const player = useRef<Pick<Player, 'seek'>>(null)
  const side = useRef<HTMLDivElement>(null)
  useEffect(() => {
    document.title = pageTitle(viewer)
  }, [viewer])

  const start = answer ? startOf(opened?.recording, answer) : 0
  const asked = Number(new URLSearchParams(location.search).get('timestamp'))
  const watermark = answer && watermarkOf(viewer, answer.asset)
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
          <div className="wt-replay-side" ref={side}>
            {opened.isIndexed && (
              <SearchPanel sessionId={sessionId} onSeek={(seconds) => player.current?.seek(seconds)} />
            )}
            {answer.type === 'desktop' ? (
              <MarkList
                markers={markers}
                onSeek={(seconds) => player.current?.seek(seekTarget(seconds, DESKTOP_LEAD_S))}
              />
            ) : (
              <CommandList
                sessionId={sessionId}
                start={start}
                dateStart={answer.date_start}
                dateEnd={answer.date_end}
                markers={markers}
                onSeek={(seconds) => player.current?.seek(seekTarget(seconds))}
              />
            )}
          </div>
          <div className="wt-panes">
            <RecordingPlayer
              ref={player}
              recording={opened.recording}
              startAt={asked > start ? seekTarget(asked - start) : 0}
              onSearch={opened.isIndexed ? () => side.current?.querySelector('input')?.focus() : undefined}
              markers={markers}
            />
            {watermark && <Watermark {...watermark} />}
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
  const isDesktop = answer.type === 'desktop'
  return (
    <header className="wt-info">
      <SessionFacts
        user={answer.user}
        asset={answer.asset}
        systemUser={answer.system_user}
        other={{ label: t('Start time'), value: formatDate(answer.date_start) }}
      />
      {isIndexed || isDesktop ? (
        <DownloadMenu address={answer.download_url} {...{ sessionId, isDesktop, onError }} />
      ) : (
        <a href={answer.download_url} download>
          {t('Download')}
        </a>
      )}
    </header>
  )
}

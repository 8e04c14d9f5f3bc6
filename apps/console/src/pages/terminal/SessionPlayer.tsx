import { ftpLog } from '@sallyport/contract/resources/audits/ftp-log.ts'
import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { sessionEvent } from '@sallyport/contract/resources/terminal/session-event.ts'
import { sessionJoinRecord } from '@sallyport/contract/resources/terminal/session-join-record.ts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { Skeleton } from '../../design/Skeleton.tsx'
import { useMetadata } from '../../generic/view/metadata.ts'
import { api, type ListPage, type Query, type Row } from '../../lib/api.ts'
import { parseDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { keys } from '../../lib/query.ts'
import { session } from '../../session/session.ts'
import { Watermark } from '../../terminal/pane/Watermark.tsx'
import { CommandList } from '../../terminal/replay/CommandList.tsx'
import { MarkList } from '../../terminal/replay/MarkList.tsx'
import type { Marker } from '../../terminal/replay/markers.ts'
import type { Player } from '../../terminal/replay/player.ts'
import { RecordingPlayer } from '../../terminal/replay/RecordingPlayer.tsx'
import { DESKTOP_LEAD_S, seekTarget } from '../../terminal/replay/recording.ts'
import { startOf, useReplay } from '../../terminal/replay/use-replay.ts'
import { watermarkOf } from '../../terminal/viewer.ts'
import styles from './session-page.module.css'

/** More than this of a kind are no marks but a carpet. */
const MOST = 200

/**
 * The player with the commands beside it; on its time line stand commands, file transfers, who joined
 * and what befell the session.
 */
export function SessionPlayer({ row }: { row: Session }) {
  const { answer, opened, markers, error, fault } = useReplay(row.id)
  const player = useRef<Pick<Player, 'seek'>>(null)
  const start = answer ? startOf(opened?.recording, answer) : 0
  const others = useOtherMarkers(row, start)
  const all = useMemo(() => [...markers, ...others].sort((a, b) => a.time - b.time), [markers, others])
  if (error)
    return (
      <p className={styles.replayFault} role="alert">
        {error}
      </p>
    )
  if (!answer || !opened) return <Skeleton lines={3} />
  const { settings, profile } = session()
  const watermark = watermarkOf({ settings, profile }, answer.asset)
  return (
    <>
      {fault && (
        <p className={styles.replayFault} role="alert">
          {fault}
        </p>
      )}
      <div className={styles.replayBody}>
        <div className={styles.replayStage}>
          <RecordingPlayer ref={player} recording={opened.recording} startAt={0} markers={all} isEmbedded />
          {watermark && <Watermark {...watermark} />}
        </div>
        {answer.type === 'desktop' ? (
          <MarkList markers={all} onSeek={(seconds) => player.current?.seek(seekTarget(seconds, DESKTOP_LEAD_S))} />
        ) : (
          <CommandList
            sessionId={row.id}
            start={start}
            dateStart={answer.date_start}
            dateEnd={answer.date_end}
            markers={all}
            onSeek={(seconds) => player.current?.seek(seekTarget(seconds))}
          />
        )}
      </div>
    </>
  )
}

/**
 * File transfers, people who joined and events of a session on its time line; nothing of what could
 * not be read. `start` is second 0 in Unix seconds.
 */
function useOtherMarkers(row: Session, start: number): readonly Marker[] {
  const events = useRows(sessionEvent.path, { session: row.id })
  const words = useMetadata(sessionEvent.path).data?.actions.GET?.event?.choices
  const { id, user, asset, date_start, date_end } = row
  const span = { date_from: isoOf(date_start), date_to: isoOf(date_end) }
  const files = useRows(ftpLog.path, { user, asset, ...span })
  const joins = useRows(sessionJoinRecord.path, { session: row.id })
  return useMemo(() => {
    const at = (date: unknown) => Math.max(0, (parseDate(date)?.getTime() ?? 0) / 1000 - start)
    return [
      ...events.map(({ event, date_created }) => ({
        time: at(date_created),
        label: words?.find(({ value }) => value === event)?.display_name ?? String(event),
        isDangerous: false,
      })),
      ...files
        // The replay itself marks what went through its terminal.
        .filter(({ session_id }) => session_id !== id)
        .map(({ operate_display, operate, filename, date_start: date, is_success }) => ({
          time: at(date),
          label: `${operate_display ?? operate}: ${filename}`,
          isDangerous: is_success === false,
          isFile: true,
        })),
      ...joins
        .filter(({ is_success }) => is_success === true)
        .map(({ joiner_display, date_joined }) => ({
          time: at(date_joined),
          label: t('{{person}} joined', { person: nameOf(String(joiner_display)) }),
          isDangerous: false,
        })),
    ]
  }, [id, events, files, joins, words, start])
}

const NO_ROWS: readonly Row[] = []

function useRows(path: string, query: Query): readonly Row[] {
  const list = useQuery({
    queryKey: keys.list(path, { ...query, marks: true }),
    queryFn: ({ signal }) =>
      api.get<ListPage>(path, { query: { ...query, limit: MOST, offset: 0 }, signal, quiet: true }),
  })
  return list.data?.results ?? NO_ROWS
}

const isoOf = (date: unknown) => parseDate(date)?.toISOString()

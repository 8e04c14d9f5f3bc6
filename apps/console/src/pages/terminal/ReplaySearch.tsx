import type { ReplaySearchAll, ReplaySearchFound } from '@sallyport/contract/replay.ts'
import { session } from '@sallyport/contract/resources/terminal/session.ts'
import { TextSearchIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { DateRangePicker } from '../../design/dates/DateRangePicker.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { Named } from '../../design/Named.tsx'
import { api, errorText } from '../../lib/api.ts'
import { formatDate } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { nameOf } from '../../lib/name-of.ts'
import { defaultRange, type IsoRange, isoOf } from '../../lib/time/date-range.ts'
import { clock } from '../../terminal/replay/recording.ts'
import { replayAddress } from '../windows.ts'
import styles from './replay-search.module.css'

const DAYS_BACK = 30
const LENGTH = { min: 2, max: 100 } as const

interface Found {
  wanted: string
  results: readonly ReplaySearchFound[]
  searched: number
  unread: number
  /** Where the next call goes on; null when all recordings were looked at. */
  next: string | null
}

/**
 * Where a text stood on the screen, in all recordings between two dates; a click plays it from
 * there.
 */
export function ReplaySearch() {
  const [range, setRange] = useState(() => isoOf(defaultRange(DAYS_BACK)))
  const { found, searching, error, search } = useReplaySearch(range)
  return (
    <div>
      <div className={styles.replaySearchHead}>
        <DateRangePicker value={range} onChange={setRange} />
        <SearchInput
          className={styles.replaySearchField}
          maxLength={LENGTH.max}
          placeholder={t('Text shown on screen')}
          aria-label={t('Text shown on screen')}
          isSearching={searching}
          onSearch={(wanted) => void search(wanted)}
        />
      </div>
      {error && <p role="alert">{error}</p>}
      {!found && !searching && !error && (
        <EmptyState icon={<TextSearchIcon />} title={t('Search screen content')}>
          {t('Type at least two characters: commands, outputs and messages of all recordings are searched.')}
        </EmptyState>
      )}
      {found?.results.map((one) => (
        <FoundRecording key={one.id} found={one} />
      ))}
      {found && (
        <p role="status">
          {found.results.length === 0
            ? t('Recordings searched: {{count}}, nothing found', { count: found.searched })
            : t('Recordings searched: {{count}}', { count: found.searched })}{' '}
          {found.unread > 0 && (
            <strong>{t('Recordings that could not be read: {{count}}', { count: found.unread })}</strong>
          )}{' '}
          {found.next !== null && (
            <Button size="small" loading={searching} onClick={() => void search(found.wanted, found)}>
              {t('Search older ones')}
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

/** The search of recordings between two dates: one at a time, a new one ends the last. */
function useReplaySearch(range: IsoRange) {
  const [found, setFound] = useState<Found>()
  const [searching, setSearching] = useState(false)
  const [error, setError] = useState<string>()
  const asked = useRef<AbortController>(undefined)
  useEffect(() => () => asked.current?.abort(), [])

  /** Reads on from `before`, or from the latest recording. */
  const search = async (wanted: string, before?: Found): Promise<void> => {
    asked.current?.abort()
    setError(undefined)
    if (!before) setFound(undefined)
    if (wanted.trim().length < LENGTH.min) return setSearching(false)
    const question = new AbortController()
    asked.current = question
    setSearching(true)
    try {
      const [date_from, date_to] = range
      const { results, searched, unread, next } = await api.get<ReplaySearchAll>(`${session.path}replay-search/`, {
        quiet: true,
        signal: question.signal,
        query: { q: wanted, date_from, date_to, after: before?.next },
      })
      if (question.signal.aborted) return
      setFound({
        wanted,
        results: [...(before?.results ?? []), ...results],
        searched: (before?.searched ?? 0) + searched,
        unread: (before?.unread ?? 0) + unread,
        next,
      })
    } catch (failure) {
      if (!question.signal.aborted) setError(errorText(failure))
    } finally {
      if (!question.signal.aborted) setSearching(false)
    }
  }
  return { found, searching, error, search }
}

function FoundRecording({ found }: { found: ReplaySearchFound }) {
  const { id, user, asset, system_user, date_start, hits, more } = found
  return (
    <section className={styles.replayFound}>
      <h3>
        <Named text={user} /> → {nameOf(system_user)}@<Named text={asset} /> <time>{formatDate(date_start)}</time>
      </h3>
      <ul>
        {hits.map(({ time, text, from, to }) => (
          <li key={`${time} ${from} ${text}`}>
            <a href={replayAddress(id, Date.parse(date_start) / 1000 + time)} target="_blank" rel="noreferrer">
              {clock(time)}
            </a>{' '}
            <code>
              {text.slice(0, from)}
              <mark>{text.slice(from, to)}</mark>
              {text.slice(to)}
            </code>
          </li>
        ))}
        {more && <li>{t('And more in this recording')}</li>}
      </ul>
    </section>
  )
}

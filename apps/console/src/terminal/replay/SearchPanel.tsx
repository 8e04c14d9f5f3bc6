import type { ReplaySearch } from '@sallyport/contract/replay.ts'
import { useEffect, useRef, useState } from 'react'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { searchRecording } from './indexed-recording.ts'
import { clock } from './recording.ts'

const LENGTH = { min: 2, max: 100 } as const

export interface SearchPanelProps {
  sessionId: string
  /** Gets the second of the recording at which the text stood on the screen. */
  onSeek: (seconds: number) => void
}

/** Finds a text in what the recording shows; a click jumps to the second. */
export function SearchPanel({ sessionId, onSeek }: SearchPanelProps) {
  const [found, setFound] = useState<ReplaySearch>()
  const [error, setError] = useState<string>()
  const [searching, setSearching] = useState(false)
  const asked = useRef<AbortController>(undefined)
  useEffect(() => () => asked.current?.abort(), [])

  const search = async (wanted: string): Promise<void> => {
    asked.current?.abort()
    setFound(undefined)
    setError(undefined)
    setSearching(false)
    if (wanted.trim().length < LENGTH.min) return
    const question = new AbortController()
    asked.current = question
    setSearching(true)
    try {
      const answer = await searchRecording(sessionId, wanted, question.signal)
      if (!question.signal.aborted) setFound(answer)
    } catch (failure) {
      if (!question.signal.aborted) setError(errorText(failure))
    } finally {
      if (!question.signal.aborted) setSearching(false)
    }
  }

  return (
    <search className="wt-search">
      <SearchInput
        isSmall
        maxLength={LENGTH.max}
        placeholder={t('Search in the recording')}
        aria-label={t('Search in the recording')}
        isSearching={searching}
        onSearch={(wanted) => void search(wanted)}
      />
      {error && <p role="alert">{error}</p>}
      {found && found.hits.length === 0 && (
        <p role="status">
          {found.more ? t('Nothing found in the part that could be searched in time') : t('Nothing matches')}
        </p>
      )}
      {found && found.hits.length > 0 && (
        <ol className="wt-hits" aria-label={t('Matches')}>
          {found.hits.map(({ time, text, from, to }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
            <li key={n}>
              <button type="button" className="wt-command" title={text} onClick={() => onSeek(time)}>
                <time>{clock(time)}</time>
                <code>
                  {text.slice(0, from)}
                  <mark>{text.slice(from, to)}</mark>
                  {text.slice(to)}
                </code>
              </button>
            </li>
          ))}
          {found.more && <li className="wt-hint">{t('There are more matches. Search for something longer.')}</li>}
        </ol>
      )}
    </search>
  )
}
